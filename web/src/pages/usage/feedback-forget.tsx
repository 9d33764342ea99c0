/** Forgetting all outcomes, after a question. */
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { AskFirst } from "../../parts/ask-first.tsx";
import { queries, service } from "../../queries.ts";

export function FeedbackForget() {
  const [isAsked, asking] = useDisclosure();
  const forget = useMutation({
    mutationFn: () => service.feedback.deleteAll(),
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
      <AskFirst
        isOpen={isAsked}
        title="Forget all outcomes?"
        doIt="Forget them"
        isBusy={forget.isPending}
        error={forget.error ?? undefined}
        onConfirm={() => forget.mutate()}
        onClose={asking.close}
      >
        Every outcome you told is erased for good, and your scores are again as if you had told nothing.
      </AskFirst>
    </>
  );
}
