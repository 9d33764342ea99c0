/** The settings of one thing, such as a saved list or an endpoint, as a section with a form that saves what has changed. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { common } from "../messages.ts";
import { ErrorAlert } from "./error-alert.tsx";
import { fieldProblems } from "./problem-text.ts";
import { Section } from "./section.tsx";
import { ValidatedForm } from "./validated-form.tsx";

export function SettingsForm<Stored, Draft extends object, Request extends object>({
  title,
  stored,
  draftOf,
  requestOf,
  problemsOf,
  save,
  children,
}: SettingsFormProps<Stored, Draft, Request>) {
  // Only what was edited here: the other fields follow what is stored, which another tab may change.
  const [edited, setEdited] = useState<Partial<Draft>>({});
  const [isSubmitted, setIsSubmitted] = useState(false);
  const unedited = draftOf(stored);
  const draft: Draft = { ...unedited, ...edited };
  const changes = differences(requestOf(draft), requestOf(unedited));
  const isChanged = Object.keys(changes).length > 0;
  const saving = useMutation({
    mutationFn: () => save(changes),
    onSuccess() {
      setEdited({});
      setIsSubmitted(false);
    },
  });
  const found = problemsOf(draft);
  const rejected = fieldProblems(saving.error);
  const submit = () => {
    setIsSubmitted(true);
    if (Object.keys(found).length === 0) saving.mutate();
  };
  return (
    <Section title={title}>
      <ValidatedForm onSubmit={submit}>
        <Stack gap="md" maw={640}>
          {children({
            draft,
            onChange: (next) => setEdited(differences(next, unedited)),
            problems: { ...rejected, ...(isSubmitted ? found : {}) },
          })}
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

function differences<T extends object>(after: T, before: T): Partial<T> {
  const differs = (name: keyof T) => JSON.stringify(after[name]) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(after).filter(([name]) => differs(name as keyof T))) as Partial<T>;
}

type SettingsFormProps<Stored, Draft, Request> = {
  title: string;
  stored: Stored;
  draftOf: (stored: Stored) => Draft;
  /** All members that a request can have; those that the draft changes are saved. */
  requestOf: (draft: Draft) => Request;
  /** Errors found before the request, by field. */
  problemsOf: (draft: Draft) => Record<string, string>;
  /** Resolves when `stored` has the changes. */
  save: (changes: Partial<Request>) => Promise<void>;
  children: (fields: FieldsProps<Draft>) => ReactNode;
};

export type FieldsProps<Draft> = {
  draft: Draft;
  onChange: (draft: Draft) => void;
  problems: Record<string, string>;
};
