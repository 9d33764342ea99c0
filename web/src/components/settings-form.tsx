/** The settings of one thing, such as a saved list or an endpoint, as a section with a form that saves what has changed. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { common } from "../messages.ts";
import { ErrorAlert } from "./error-alert.tsx";
import { fieldProblems } from "./problem-text.ts";
import { Section } from "./section.tsx";
import { ValidatedForm } from "./validated-form.tsx";

export function SettingsForm<Stored, Draft>({
  title,
  stored,
  draftOf,
  requestOf,
  problemsOf,
  save,
  children,
}: SettingsFormProps<Stored, Draft>) {
  const [draft, setDraft] = useState(() => draftOf(stored));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const saving = useMutation({
    mutationFn: () => save(draft),
    onSuccess(saved) {
      setDraft(draftOf(saved));
      setIsSubmitted(false);
    },
  });
  const found = problemsOf(draft);
  const rejected = fieldProblems(saving.error);
  const isChanged = JSON.stringify(requestOf(draft)) !== JSON.stringify(requestOf(draftOf(stored)));
  const submit = () => {
    setIsSubmitted(true);
    if (Object.keys(found).length === 0) saving.mutate();
  };
  return (
    <Section title={title}>
      <ValidatedForm onSubmit={submit}>
        <Stack gap="md" maw={640}>
          {children({ draft, onChange: setDraft, problems: { ...rejected, ...(isSubmitted ? found : {}) } })}
          {saving.error && Object.keys(rejected).length === 0 && <ErrorAlert error={saving.error} />}
          <Group gap="sm">
            <Button type="submit" disabled={!isChanged} loading={saving.isPending}>
              {common.save}
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {saving.isSuccess && !isChanged && common.saved}
            </Text>
          </Group>
        </Stack>
      </ValidatedForm>
    </Section>
  );
}

type SettingsFormProps<Stored, Draft> = {
  title: string;
  stored: Stored;
  draftOf: (stored: Stored) => Draft;
  /** The body of the request; a draft with another one is a change. */
  requestOf: (draft: Draft) => unknown;
  /** Errors found before the request, by field. */
  problemsOf: (draft: Draft) => Record<string, string>;
  save: (draft: Draft) => Promise<Stored>;
  children: (fields: FieldsProps<Draft>) => ReactNode;
};

export type FieldsProps<Draft> = {
  draft: Draft;
  onChange: (draft: Draft) => void;
  problems: Record<string, string>;
};
