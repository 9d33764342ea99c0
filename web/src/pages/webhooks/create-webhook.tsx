/** Making an endpoint, and showing its secret this once. */
import type { WebhookWithSecret } from "@mailvet/contract";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { service } from "../../queries.ts";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { fieldProblems } from "../../shared/problem-text.ts";
import { hostOf } from "./event-words.ts";
import { draftProblems, EMPTY_DRAFT, requestOf, WebhookFields } from "./webhook-fields.tsx";
import { webhooksChanged } from "./webhook-queries.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [made, setMade] = useState<WebhookWithSecret>();
  if (!made) return <WebhookForm onMade={setMade} onClose={onClose} />;
  const goOn = () => void navigate({ to: "/webhooks/$webhookId", params: { webhookId: made.id } });
  return (
    <WebhookSecret title="Your new endpoint" secret={made.secret} onDone={goOn}>
      Messages to {hostOf(made.url)} are signed with this secret. It is shown this once: put it where your
      receiver finds it.
    </WebhookSecret>
  );
}

function WebhookForm({
  onMade,
  onClose,
}: {
  onMade: (made: WebhookWithSecret) => void;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [isTried, setIsTried] = useState(false);
  const make = useMutation({
    mutationFn: () => service.webhooks.create(requestOf(draft)),
    async onSuccess(made) {
      onMade(made);
      await webhooksChanged();
    },
  });
  const found = draftProblems(draft);
  const refused = fieldProblems(make.error);
  const submit = () => {
    setIsTried(true);
    if (Object.keys(found).length === 0) make.mutate();
  };
  return (
    <FormDialog
      title="Add an endpoint"
      submitLabel="Add the endpoint"
      isBusy={make.isPending}
      error={make.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <WebhookFields draft={draft} onChange={setDraft} problems={{ ...refused, ...(isTried ? found : {}) }} />
    </FormDialog>
  );
}
