/** Settings of an endpoint: URL, description, events. */

import type { WebhookEndpoint } from "@mailvet/contract";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { Section } from "../../components/section.tsx";
import { ValidatedForm } from "../../components/validated-form.tsx";
import { common } from "../../messages.ts";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { draftOf, draftProblems, requestOf, WebhookFields } from "./webhook-fields.tsx";
import { webhooksChanged } from "./webhook-queries.ts";

export function WebhookSettings({ webhook }: { webhook: WebhookEndpoint }) {
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const save = useMutation({
    mutationFn: () => service.webhooks.update(webhook.id, requestOf(draft)),
    async onSuccess(saved) {
      setDraft(draftOf(saved));
      setIsSubmitted(false);
      await webhooksChanged();
    },
  });
  const found = draftProblems(draft);
  const rejected = fieldProblems(save.error);
  const isChanged = JSON.stringify(requestOf(draft)) !== JSON.stringify(requestOf(draftOf(webhook)));
  const submit = () => {
    setIsSubmitted(true);
    if (Object.keys(found).length === 0) save.mutate();
  };
  return (
    <Section title={messages.settings}>
      <ValidatedForm onSubmit={submit}>
        <Stack gap="md" maw={640}>
          <WebhookFields
            draft={draft}
            onChange={setDraft}
            problems={{ ...rejected, ...(isSubmitted ? found : {}) }}
          />
          {save.error && Object.keys(rejected).length === 0 && <ErrorAlert error={save.error} />}
          <Group gap="sm">
            <Button type="submit" disabled={!isChanged} loading={save.isPending}>
              {common.save}
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {save.isSuccess && !isChanged && common.saved}
            </Text>
          </Group>
        </Stack>
      </ValidatedForm>
    </Section>
  );
}
