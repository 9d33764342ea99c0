/** Name, tags and schedule of a saved list, and its deletion. */
import type { SavedList } from "@mailvet/contract";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { Section } from "../../components/section.tsx";
import { ValidatedForm } from "../../components/validated-form.tsx";
import { common } from "../../messages.ts";
import { service } from "../../queries.ts";
import { draftOf, draftProblems, ListFields, requestOf } from "./list-fields.tsx";
import { listsChanged } from "./list-queries.ts";
import { messages } from "./messages.tsx";

export function ListSettings({ list }: { list: SavedList }) {
  const [draft, setDraft] = useState(() => draftOf(list));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const save = useMutation({
    mutationFn: () => service.lists.update(list.id, requestOf(draft)),
    async onSuccess(saved) {
      setDraft(draftOf(saved));
      setIsSubmitted(false);
      await listsChanged();
    },
  });
  const found = draftProblems(draft);
  const rejected = fieldProblems(save.error);
  const isChanged = JSON.stringify(requestOf(draft)) !== JSON.stringify(requestOf(draftOf(list)));
  return (
    <Section title={messages.page.settings}>
      <ValidatedForm
        onSubmit={() => {
          setIsSubmitted(true);
          if (Object.keys(found).length === 0) save.mutate();
        }}
      >
        <Stack gap="md" maw={640}>
          <ListFields
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

export function DeleteList({ list }: { list: SavedList }) {
  const texts = messages.page.delete;
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => service.lists.delete(list.id),
    async onSuccess() {
      await navigate({ to: "/lists" });
      await listsChanged();
    },
  });
  return (
    <Section title={texts.title} intro={texts.intro}>
      <Group>
        <Button variant="default" onClick={() => setIsAsking(true)}>
          {texts.title}
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        title={texts.confirmTitle}
        confirmLabel={texts.title}
        cancelLabel={texts.keep}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setIsAsking(false)}
      >
        {texts.text(list.name)}
      </ConfirmDialog>
    </Section>
  );
}
