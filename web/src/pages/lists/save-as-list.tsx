/** On the page of a completed job: saves it as a list, or opens the list that it is saved as. */
import type { Job } from "@mailvet/contract";
import { Button, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FormDialog } from "../../components/dialog/form-dialog.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { queries, service } from "../../queries.ts";
import { jobQuery } from "../bulk/job-queries.ts";
import { draftProblems, ListFields, newDraft, requestOf } from "./list-fields.tsx";
import { listsChanged, listsQuery } from "./list-queries.ts";
import { messages } from "./messages.tsx";

export function SaveAsList({ job }: { job: Job }) {
  const { data: lists } = useQuery(listsQuery);
  const [isOpen, setIsOpen] = useState(false);
  const saved = lists?.find(({ job_id }) => job_id === job.id);
  if (saved)
    return (
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/lists/$listId" params={{ listId: saved.id }} />}
      >
        {messages.save.open}
      </Button>
    );
  return (
    <>
      <Button variant="default" disabled={!lists} onClick={() => setIsOpen(true)}>
        {messages.save.button}
      </Button>
      {isOpen && <SaveDialog job={job} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function SaveDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => newDraft(job.filename));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const save = useMutation({
    mutationFn: () => service.lists.create({ job_id: job.id, ...requestOf(draft) }),
    async onSuccess({ id }) {
      await navigate({ to: "/lists/$listId", params: { listId: id } });
      await listsChanged();
      void queries.invalidateQueries(jobQuery(job.id)); // it no longer expires
    },
  });
  const found = draftProblems(draft);
  return (
    <FormDialog
      title={messages.save.title}
      submitLabel={messages.save.button}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={() => {
        setIsSubmitted(true);
        if (Object.keys(found).length === 0) save.mutate();
      }}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        {messages.save.intro}
      </Text>
      <ListFields
        draft={draft}
        emails={job.unique_emails}
        onChange={setDraft}
        problems={{ ...fieldProblems(save.error), ...(isSubmitted ? found : {}) }}
      />
    </FormDialog>
  );
}
