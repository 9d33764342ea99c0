/** The latest jobs with their progress. */

import { Button, Paper } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { JobRow } from "../bulk/job-row.tsx";
import { messages } from "./messages.tsx";
import { recentJobsQuery } from "./overview-queries.ts";

export function RecentJobs() {
  const { data, error, refetch, isPending } = useQuery(recentJobsQuery);
  if (isPending) return <Loading />;
  if (error) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  if (data.items.length === 0)
    return (
      <EmptyState
        title={messages.noJobs}
        action={
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/bulk" />}>
            {messages.uploadList}
          </Button>
        }
      >
        {messages.noJobsText}
      </EmptyState>
    );
  return (
    <Paper withBorder component="ul" className="plain-list ruled">
      {data.items.map((job) => (
        <JobRow key={job.id} job={job} />
      ))}
    </Paper>
  );
}
