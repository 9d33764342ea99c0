/** Where messages go and which. */
import type { WebhookEndpoint } from "@mailvet/contract";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { service } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { fieldProblems } from "../../shared/problem-text.ts";
import { Section } from "../../shared/section.tsx";
import { ValidatedForm } from "../../shared/validated-form.tsx";
import { draftOf, draftProblems, requestOf, WebhookFields } from "./webhook-fields.tsx";
import { webhooksChanged } from "./webhook-queries.ts";

export function WebhookSettings({ webhook }: { webhook: WebhookEndpoint }) {
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const [isTried, setIsTried] = useState(false);
  const save = useMutation({
    mutationFn: () => service.webhooks.update(webhook.id, requestOf(draft)),
    async onSuccess(saved) {
      setDraft(draftOf(saved));
      setIsTried(false);
      await webhooksChanged();
    },
  });
  const found = draftProblems(draft);
  const refused = fieldProblems(save.error);
  const isChanged = JSON.stringify(requestOf(draft)) !== JSON.stringify(requestOf(draftOf(webhook)));
  const submit = () => {
    setIsTried(true);
    if (Object.keys(found).length === 0) save.mutate();
  };
  return (
    <Section title="Settings">
      <ValidatedForm onSubmit={submit}>
        <Stack gap="md" maw={640}>
          <WebhookFields
            draft={draft}
            onChange={setDraft}
            problems={{ ...refused, ...(isTried ? found : {}) }}
          />
          {save.error && Object.keys(refused).length === 0 && <ErrorAlert error={save.error} />}
          <Group gap="sm">
            <Button type="submit" disabled={!isChanged} loading={save.isPending}>
              Save
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {save.isSuccess && !isChanged && "Saved."}
            </Text>
          </Group>
        </Stack>
      </ValidatedForm>
    </Section>
  );
}
