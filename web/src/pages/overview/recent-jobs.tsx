/** The latest jobs, and how far they are. */
import { Button, Paper } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { JobRow } from "../bulk/job-row.tsx";
import { recentJobsQuery } from "./overview-queries.ts";

export function RecentJobs() {
  const { data, error, refetch, isPending } = useQuery(recentJobsQuery);
  if (isPending) return <Loading />;
  if (error) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  if (data.items.length === 0)
    return (
      <EmptyState
        title="No jobs yet"
        action={
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/bulk" />}>
            Upload a list
          </Button>
        }
      >
        A CSV file with addresses comes back with a verdict beside each.
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
