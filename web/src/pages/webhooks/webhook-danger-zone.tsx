/** Rotates the secret of an endpoint, or deletes the endpoint. */

import type { WebhookEndpoint, WebhookWithSecret } from "@mailvet/contract";
import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "../../components/dialog/confirm-dialog.tsx";
import { Section } from "../../components/section.tsx";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { hostOf } from "./webhook-name.ts";
import { webhooksChanged } from "./webhook-queries.ts";
import { HowToVerify, WebhookSecret } from "./webhook-secret.tsx";

export function WebhookDangerZone({ webhook }: { webhook: WebhookEndpoint }) {
  const [confirming, setConfirming] = useState<"rotate" | "remove">();
  const [rotated, setRotated] = useState<WebhookWithSecret>();
  const close = () => setConfirming(undefined);
  return (
    <>
      <Section title={messages.secret.title} intro={messages.secret.intro}>
        <HowToVerify />
        <Group>
          <Button variant="default" onClick={() => setConfirming("rotate")}>
            {messages.secret.rotate}
          </Button>
        </Group>
      </Section>
      <Section title={messages.delete.title} intro={messages.delete.intro}>
        <Group>
          <Button variant="default" onClick={() => setConfirming("remove")}>
            {messages.delete.button}
          </Button>
        </Group>
      </Section>
      {confirming === "rotate" && (
        <RotateSecret
          webhook={webhook}
          onRotated={(answer) => {
            setRotated(answer);
            close();
          }}
          onClose={close}
        />
      )}
      {confirming === "remove" && <RemoveWebhook webhook={webhook} onClose={close} />}
      {rotated && (
        <WebhookSecret
          title={messages.secret.rotated}
          secret={rotated.secret}
          onDone={() => setRotated(undefined)}
        >
          {messages.secret.rotatedText}
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
      title={messages.secret.rotateTitle}
      confirmLabel={messages.secret.rotate}
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      {messages.secret.rotateText}
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
      title={messages.delete.confirmTitle}
      confirmLabel={messages.delete.button}
      cancelLabel={messages.delete.keep}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {messages.delete.text(hostOf(webhook.url))}
    </ConfirmDialog>
  );
}
