/** The latest jobs, and how far they are. */
import { Button, Paper } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EmptyNote } from "../../parts/empty-note.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { JobLine } from "../bulk/job-line.tsx";
import { recentJobsQuery } from "./overview-queries.ts";

export function RecentJobs() {
  const { data, error, refetch, isPending } = useQuery(recentJobsQuery);
  if (isPending) return <Waiting />;
  if (error) return <FailureNote error={error} onRetry={() => void refetch()} />;
  if (data.items.length === 0)
    return (
      <EmptyNote
        title="No jobs yet"
        action={
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/bulk" />}>
            Upload a list
          </Button>
        }
      >
        A CSV file with addresses comes back with a verdict beside each.
      </EmptyNote>
    );
  return (
    <Paper withBorder component="ul" className="plain-list ruled">
      {data.items.map((job) => (
        <JobLine key={job.id} job={job} />
      ))}
    </Paper>
  );
}
