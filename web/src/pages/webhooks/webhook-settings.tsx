/** Where messages go and which. */
import type { WebhookEndpoint } from "@mailvet/contract";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { CheckedForm } from "../../parts/checked-form.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { fieldProblems } from "../../parts/problem-text.ts";
import { Section } from "../../parts/section.tsx";
import { service } from "../../queries.ts";
import { draftOf, draftProblems, WebhookFields, wishesOf } from "./webhook-fields.tsx";
import { webhooksChanged } from "./webhook-queries.ts";

export function WebhookSettings({ webhook }: { webhook: WebhookEndpoint }) {
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const [isTried, setIsTried] = useState(false);
  const save = useMutation({
    mutationFn: () => service.webhooks.update(webhook.id, wishesOf(draft)),
    async onSuccess(saved) {
      setDraft(draftOf(saved));
      setIsTried(false);
      await webhooksChanged();
    },
  });
  const found = draftProblems(draft);
  const refused = fieldProblems(save.error);
  const isChanged = JSON.stringify(wishesOf(draft)) !== JSON.stringify(wishesOf(draftOf(webhook)));
  const submit = () => {
    setIsTried(true);
    if (Object.keys(found).length === 0) save.mutate();
  };
  return (
    <Section title="Settings">
      <CheckedForm onSubmit={submit}>
        <Stack gap="md" maw={640}>
          <WebhookFields
            draft={draft}
            onChange={setDraft}
            problems={{ ...refused, ...(isTried ? found : {}) }}
          />
          {save.error && Object.keys(refused).length === 0 && <FailureNote error={save.error} />}
          <Group gap="sm">
            <Button type="submit" disabled={!isChanged} loading={save.isPending}>
              Save
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {save.isSuccess && !isChanged && "Saved."}
            </Text>
          </Group>
        </Stack>
      </CheckedForm>
    </Section>
  );
}
