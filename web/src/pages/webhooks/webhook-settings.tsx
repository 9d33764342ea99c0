/** Settings of an endpoint: URL, description, events. */
import type { WebhookEndpoint } from "@mailvet/contract";
import { SettingsForm } from "../../components/settings-form.tsx";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { draftOf, draftProblems, requestOf, WebhookFields } from "./webhook-fields.tsx";
import { webhooksChanged } from "./webhook-queries.ts";

export function WebhookSettings({ webhook }: { webhook: WebhookEndpoint }) {
  return (
    <SettingsForm
      title={messages.settings}
      stored={webhook}
      draftOf={draftOf}
      requestOf={requestOf}
      problemsOf={draftProblems}
      save={async (changes) => {
        await service.webhooks.update(webhook.id, changes);
        await webhooksChanged();
      }}
    >
      {(fields) => <WebhookFields {...fields} />}
    </SettingsForm>
  );
}
