/** Forgetting all outcomes, after a question. */
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { queries, service } from "../../queries.ts";
import { ConfirmDialog } from "../../shared/confirm-dialog.tsx";

export function DeleteFeedback() {
  const [isAsked, asking] = useDisclosure();
  const forget = useMutation({
    mutationFn: () => service.feedback.forget(),
    onSuccess() {
      asking.close();
      return queries.invalidateQueries({ queryKey: ["feedback"] });
    },
  });
  return (
    <>
      <Button variant="default" size="xs" h={36} onClick={asking.open}>
        Forget all outcomes
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        title="Forget all outcomes?"
        confirmLabel="Forget them"
        isBusy={forget.isPending}
        error={forget.error ?? undefined}
        onConfirm={() => forget.mutate()}
        onClose={asking.close}
      >
        Every outcome you told is erased for good, and your scores are again as if you had told nothing.
      </ConfirmDialog>
    </>
  );
}
