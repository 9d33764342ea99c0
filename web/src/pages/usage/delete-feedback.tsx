/** Deletes all delivery results after a confirmation. */

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/dialog/confirm-dialog.tsx";
import { queries, service } from "../../queries.ts";
import { messages } from "./messages.tsx";

export function DeleteFeedback() {
  const [isOpen, dialog] = useDisclosure();
  const remove = useMutation({
    mutationFn: () => service.feedback.deleteAll(),
    onSuccess() {
      dialog.close();
      return queries.invalidateQueries({ queryKey: ["feedback"] });
    },
  });
  return (
    <>
      <Button variant="default" size="xs" h={36} onClick={dialog.open}>
        {messages.feedback.delete}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={messages.feedback.deleteTitle}
        confirmLabel={messages.feedback.deleteConfirm}
        cancelLabel={messages.feedback.deleteCancel}
        isBusy={remove.isPending}
        error={remove.error ?? undefined}
        onConfirm={() => remove.mutate()}
        onClose={dialog.close}
      >
        {messages.feedback.deleteText}
      </ConfirmDialog>
    </>
  );
}
