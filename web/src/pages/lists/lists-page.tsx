/** Saved lists of the account. */
import type { SavedList } from "@mailvet/contract";
import { Anchor, Badge, Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { DeleteDialog } from "./delete-list.tsx";
import { listsQuery } from "./list-queries.ts";
import { messages } from "./messages.tsx";

export function Page() {
  const { data: lists, error, refetch } = useQuery(listsQuery);
  const navigate = useNavigate();
  const [deleted, setDeleted] = useState<SavedList>();
  const menuOf = (list: SavedList) => ({
    name: list.name,
    actions: [
      {
        label: messages.page.openJob,
        onClick: () => void navigate({ to: "/bulk/$jobId", params: { jobId: list.job_id } }),
      },
      { label: messages.page.delete.title, isDangerous: true, onClick: () => setDeleted(list) },
    ],
  });
  return (
    <>
      <PageHeader title={messages.title}>{messages.intro}</PageHeader>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!lists && !error && <TableLoading rows={3} />}
      {lists?.length === 0 && (
        <EmptyState
          title={messages.none}
          action={
            <Button component={Link} to="/bulk" variant="default">
              {messages.toJobs}
            </Button>
          }
        >
          {messages.noneText}
        </EmptyState>
      )}
      {lists && lists.length > 0 && (
        <DataTable
          label={messages.list}
          rows={lists}
          rowKey={({ id }) => id}
          columns={COLUMNS}
          menu={menuOf}
        />
      )}
      {deleted && <DeleteDialog list={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

const { columns } = messages;

const COLUMNS: readonly Column<SavedList>[] = [
  {
    name: columns.name,
    width: "26%",
    cell: ({ id, name }) => (
      <Anchor inherit renderRoot={(props) => <Link {...props} to="/lists/$listId" params={{ listId: id }} />}>
        {name}
      </Anchor>
    ),
    sortBy: ({ name }) => name,
  },
  { name: columns.tags, cell: (list) => <ListTags list={list} />, isWide: true },
  {
    name: columns.schedule,
    width: 120,
    cell: ({ schedule }) => (schedule ? messages.form.choices[schedule] : messages.noSchedule),
  },
  {
    name: columns.lastRun,
    width: "26%",
    cell: (list) => <LastRun list={list} />,
    sortBy: ({ last_run_at }) => last_run_at,
    first: "desc",
  },
  {
    name: columns.nextRun,
    width: 120,
    cell: ({ next_run_at }) => <Timestamp at={next_run_at} />,
    sortBy: ({ next_run_at }) => next_run_at,
  },
];

function LastRun({ list }: { list: SavedList }) {
  if (list.last_error) {
    const text = `${messages.page.notRun}: ${list.last_error}`;
    return <span title={text}>{text}</span>;
  }
  return list.last_run_at ? messages.changes(list.newly_invalid, list.recovered) : common.none;
}

export function ListTags({ list: { tags } }: { list: SavedList }) {
  if (tags.length === 0) return null;
  return (
    <Group gap={4} aria-label={messages.tags} role="group">
      {tags.map((tag) => (
        <Badge key={tag} color="gray" tt="none">
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
