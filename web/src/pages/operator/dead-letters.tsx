/** Tasks that failed for good, with a button that queues them again. */

import type { DeadLetter } from "@mailvet/contract";
import { Button, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Section } from "../../components/section.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { queries, service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { deadLettersQuery } from "./operator-queries.ts";

export function DeadLetters() {
  const { data, error } = useQuery(deadLettersQuery);
  const redrive = useMutation({
    mutationFn: (id: string) => service.operator.redrive(id),
    onSettled: () => queries.invalidateQueries({ queryKey: deadLettersQuery.queryKey }),
  });
  const texts = messages.deadLetters;
  return (
    <Section title={texts.title} intro={texts.intro} isBare>
      {(error ?? redrive.error) && <ErrorAlert error={(error ?? redrive.error)!} />}
      {data?.total === 0 && <Text c="dimmed">{texts.none}</Text>}
      {data && data.total > 0 && (
        <>
          <DataTable
            label={texts.title}
            rows={data.items}
            rowKey={({ id }) => id}
            columns={[
              ...COLUMNS,
              {
                name: texts.redrive,
                width: 120,
                cell: ({ id, kind }) =>
                  kind !== "plan" &&
                  kind !== "action" && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      loading={redrive.isPending && redrive.variables === id}
                      onClick={() => redrive.mutate(id)}
                    >
                      {texts.redrive}
                    </Button>
                  ),
              },
            ]}
          />
          {data.total > data.items.length && (
            <Text size="sm" c="dimmed">
              {texts.more(data.total - data.items.length)}
            </Text>
          )}
        </>
      )}
    </Section>
  );
}

const letters = messages.deadLetters;

const COLUMNS: readonly Column<DeadLetter>[] = [
  {
    name: letters.task,
    width: "26%",
    cell: ({ kind, group_id }) => (
      <span title={group_id}>
        {letters.kinds[kind]}{" "}
        <Text span inherit c="dimmed" fw={400}>
          {group_id}
        </Text>
      </span>
    ),
  },
  {
    name: letters.error,
    cell: ({ error, failures, losses }) => (
      <span title={`${error} · ${letters.attempts(failures, losses)}`}>{error}</span>
    ),
  },
  {
    name: letters.failedAt,
    width: 130,
    cell: ({ created_at }) => <Timestamp at={created_at} />,
    sortBy: ({ created_at }) => created_at,
    first: "desc",
  },
];
