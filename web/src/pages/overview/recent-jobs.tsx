/** The latest jobs with their progress. */

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableLoading } from "../../components/loading.tsx";
import { JobTable } from "../bulk/job-table.tsx";
import { messages } from "./messages.tsx";
import { recentJobsQuery } from "./overview-queries.ts";

export function RecentJobs() {
  const { data, error, refetch, isPending } = useQuery(recentJobsQuery);
  if (isPending) return <TableLoading />;
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
  return <JobTable jobs={data.items} label={messages.recentJobs} />;
}
