/** Name, tags and schedule of a saved list, and its deletion. */
import type { SavedList } from "@mailvet/contract";
import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Section } from "../../components/section.tsx";
import { SettingsForm } from "../../components/settings-form.tsx";
import { service } from "../../queries.ts";
import { draftOf, draftProblems, ListFields, requestOf } from "./list-fields.tsx";
import { listsChanged } from "./list-queries.ts";
import { messages } from "./messages.tsx";

export function ListSettings({ list }: { list: SavedList }) {
  return (
    <SettingsForm
      title={messages.page.settings}
      stored={list}
      draftOf={draftOf}
      requestOf={requestOf}
      problemsOf={draftProblems}
      save={async (draft) => {
        const saved = await service.lists.update(list.id, requestOf(draft));
        await listsChanged();
        return saved;
      }}
    >
      {(fields) => <ListFields {...fields} />}
    </SettingsForm>
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
