/** Adds an endpoint and shows its secret once. */

import type { WebhookWithSecret } from "@mailvet/contract";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FormDialog } from "../../components/dialog/form-dialog.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { draftProblems, EMPTY_DRAFT, requestOf, WebhookFields } from "./webhook-fields.tsx";
import { hostOf } from "./webhook-name.ts";
import { webhooksChanged } from "./webhook-queries.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [created, setCreated] = useState<WebhookWithSecret>();
  if (!created) return <WebhookForm onCreated={setCreated} onClose={onClose} />;
  const openEndpoint = () => void navigate({ to: "/webhooks/$webhookId", params: { webhookId: created.id } });
  return (
    <WebhookSecret title={messages.secret.created} secret={created.secret} onDone={openEndpoint}>
      {messages.secret.createdText(hostOf(created.url))}
    </WebhookSecret>
  );
}

function WebhookForm({
  onCreated,
  onClose,
}: {
  onCreated: (created: WebhookWithSecret) => void;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const create = useMutation({
    mutationFn: () => service.webhooks.create(requestOf(draft)),
    async onSuccess(created) {
      onCreated(created);
      await webhooksChanged();
    },
  });
  const found = draftProblems(draft);
  const rejected = fieldProblems(create.error);
  const submit = () => {
    setIsSubmitted(true);
    if (Object.keys(found).length === 0) create.mutate();
  };
  return (
    <FormDialog
      title={messages.add}
      submitLabel={messages.add}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <WebhookFields
        draft={draft}
        onChange={setDraft}
        problems={{ ...rejected, ...(isSubmitted ? found : {}) }}
      />
    </FormDialog>
  );
}
