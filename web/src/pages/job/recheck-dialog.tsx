/** Asks again for results of a completed job: a button, and the dialog in which to choose which. */
import "@mantine/core/styles/Radio.layer.css";
import type { Job } from "@mailvet/contract";
import { Button, Radio, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../components/dialog/form-dialog.tsx";
import { accountQuery, queries, service } from "../../queries.ts";
import { JOBS_KEY, jobQuery } from "../bulk/job-queries.ts";
import { messages } from "./messages.tsx";

type Choice = "unknown" | "risky" | "all";

export function RecheckButton({ job }: { job: Job }) {
  const [isOpen, setIsOpen] = useState(false);
  const counts: Record<Choice, number> = {
    unknown: job.unknown_count,
    risky: job.risky_count,
    all: job.unique_emails,
  };
  const [choice, setChoice] = useState<Choice>(counts.unknown > 0 ? "unknown" : "all");
  const recheck = useMutation({
    mutationFn: () => service.jobs.recheck(job.id, { which: choice }),
    onSuccess(changed) {
      setIsOpen(false);
      queries.removeQueries({ queryKey: ["job-results", job.id] });
      queries.setQueryData(jobQuery(job.id).queryKey, changed);
      void queries.invalidateQueries({ queryKey: JOBS_KEY });
    },
    onSettled: () => queries.invalidateQueries(accountQuery),
  });
  const texts = messages.recheck;
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {texts.open}
      </Button>
      {isOpen && (
        <FormDialog
          title={texts.title}
          submitLabel={texts.confirm}
          isBusy={recheck.isPending}
          error={recheck.error}
          onSubmit={() => recheck.mutate()}
          onClose={() => setIsOpen(false)}
        >
          <Radio.Group label={texts.which} value={choice} onChange={(value) => setChoice(value as Choice)}>
            <Stack gap="xs" mt="xs">
              {(["unknown", "risky", "all"] as const).map((name) => (
                <Radio
                  key={name}
                  value={name}
                  label={texts.choices[name](counts[name])}
                  disabled={counts[name] === 0}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Text size="sm" c="dimmed">
            {texts.cost}
          </Text>
        </FormDialog>
      )}
    </>
  );
}
