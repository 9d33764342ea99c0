/** A new secret, or the end of the endpoint. */
import type { WebhookEndpoint, WebhookWithSecret } from "@mailvet/contract";
import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { service } from "../../queries.ts";
import { ConfirmDialog } from "../../shared/confirm-dialog.tsx";
import { Section } from "../../shared/section.tsx";
import { hostOf } from "./event-words.ts";
import { webhooksChanged } from "./webhook-queries.ts";
import { HowToVerify, WebhookSecret } from "./webhook-secret.tsx";

export function WebhookDangerZone({ webhook }: { webhook: WebhookEndpoint }) {
  const [asking, setAsking] = useState<"rotate" | "remove">();
  const [rotated, setRotated] = useState<WebhookWithSecret>();
  const close = () => setAsking(undefined);
  return (
    <>
      <Section title="Secret" intro="It was shown when it was made. We cannot show it again, but change it.">
        <HowToVerify />
        <Group>
          <Button variant="default" onClick={() => setAsking("rotate")}>
            Change the secret
          </Button>
        </Group>
      </Section>
      <Section title="Delete" intro="With the record of everything that was sent to it.">
        <Group>
          <Button variant="default" onClick={() => setAsking("remove")}>
            Delete the endpoint
          </Button>
        </Group>
      </Section>
      {asking === "rotate" && (
        <RotateSecret
          webhook={webhook}
          onRotated={(answer) => {
            setRotated(answer);
            close();
          }}
          onClose={close}
        />
      )}
      {asking === "remove" && <RemoveWebhook webhook={webhook} onClose={close} />}
      {rotated && (
        <WebhookSecret title="The new secret" secret={rotated.secret} onDone={() => setRotated(undefined)}>
          For 24 hours messages are signed with both secrets. Change your receiver over in this time. It is
          shown this once.
        </WebhookSecret>
      )}
    </>
  );
}

function RotateSecret({ webhook, onRotated, onClose }: RotateSecretProps) {
  const rotate = useMutation({
    mutationFn: () => service.webhooks.rotateSecret(webhook.id),
    onSuccess: onRotated,
  });
  return (
    <ConfirmDialog
      isOpen
      title="Change the secret?"
      confirmLabel="Change the secret"
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      You get a new one. The old one stays valid for 24 hours, so that there is time to change over.
    </ConfirmDialog>
  );
}

type RotateSecretProps = {
  webhook: WebhookEndpoint;
  onRotated: (answer: WebhookWithSecret) => void;
  onClose: () => void;
};

function RemoveWebhook({ webhook, onClose }: { webhook: WebhookEndpoint; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => service.webhooks.remove(webhook.id),
    async onSuccess() {
      await navigate({ to: "/webhooks" });
      await webhooksChanged();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title="Delete this endpoint?"
      confirmLabel="Delete the endpoint"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {hostOf(webhook.url)} hears nothing more, and what waits for it is not sent. To stop it for a while,
      switch it off instead.
    </ConfirmDialog>
  );
}
