/** Saved lists of the account. */
import type { SavedList } from "@mailvet/contract";
import { Alert, Anchor, Badge, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { listsQuery } from "./list-queries.ts";
import { messages } from "./messages.tsx";

export function Page() {
  const { data: lists, error, refetch } = useQuery(listsQuery);
  return (
    <>
      <PageHeader title={messages.title}>{messages.intro}</PageHeader>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!lists && !error && <Loading />}
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
        <Stack gap="sm" component="ul" className="plain-list" aria-label={messages.list}>
          {lists.map((list) => (
            <ListCard key={list.id} list={list} />
          ))}
        </Stack>
      )}
    </>
  );
}

function ListCard({ list }: { list: SavedList }) {
  return (
    <Paper component="li" withBorder p="md">
      <Stack gap={6}>
        <Group gap="xs">
          <Anchor
            fw={500}
            className="breaks"
            renderRoot={(props) => <Link {...props} to="/lists/$listId" params={{ listId: list.id }} />}
          >
            {list.name}
          </Anchor>
          <ListTags list={list} />
        </Group>
        {list.last_run_at && <Text size="sm">{messages.changes(list.newly_invalid, list.recovered)}</Text>}
        <Text size="sm" c="dimmed">
          {list.schedule ? messages.schedules[list.schedule] : messages.noSchedule} ·{" "}
          {list.next_run_at
            ? messages.nextRun(<Timestamp at={list.next_run_at} />)
            : messages.savedAt(<Timestamp at={list.created_at} />)}
        </Text>
        {list.last_error && (
          <Alert color="yellow" title={messages.page.notRun}>
            {list.last_error}
          </Alert>
        )}
      </Stack>
    </Paper>
  );
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
