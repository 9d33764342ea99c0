/** Deletes a saved list, after a question. */
import type { SavedList } from "@mailvet/contract";
import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "../../components/dialog/confirm-dialog.tsx";
import { Section } from "../../components/section.tsx";
import { service } from "../../queries.ts";
import { listsChanged } from "./list-queries.ts";
import { messages } from "./messages.tsx";

const texts = messages.page.delete;

export function DeleteList({ list }: { list: SavedList }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Section title={texts.title} intro={texts.intro}>
      <Group>
        <Button variant="default" onClick={() => setIsAsking(true)}>
          {texts.title}
        </Button>
      </Group>
      {isAsking && <DeleteDialog list={list} onClose={() => setIsAsking(false)} />}
    </Section>
  );
}

export function DeleteDialog({ list, onClose }: { list: SavedList; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => service.lists.delete(list.id),
    async onSuccess() {
      onClose();
      await navigate({ to: "/lists" });
      await listsChanged();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={texts.confirmTitle}
      confirmLabel={texts.title}
      cancelLabel={texts.keep}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {texts.text(list.name)}
    </ConfirmDialog>
  );
}
