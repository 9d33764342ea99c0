/** Tasks that failed for good, with a button that queues them again. */

import type { DeadLetter } from "@mailvet/contract";
import { Button, Table, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Section } from "../../components/section.tsx";
import { TableHead } from "../../components/table-head.tsx";
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
    <Section title={texts.title} intro={texts.intro}>
      {(error ?? redrive.error) && <ErrorAlert error={(error ?? redrive.error)!} />}
      {data?.total === 0 && <Text c="dimmed">{texts.none}</Text>}
      {data && data.total > 0 && (
        <>
          <Table className="stacks" aria-label={texts.title}>
            <TableHead columns={[texts.task, texts.error, texts.failedAt]}>
              <Table.Td />
            </TableHead>
            <Table.Tbody>
              {data.items.map((letter) => (
                <LetterRow
                  key={letter.id}
                  letter={letter}
                  isPending={redrive.isPending && redrive.variables === letter.id}
                  onRedrive={() => redrive.mutate(letter.id)}
                />
              ))}
            </Table.Tbody>
          </Table>
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

type LetterRowProps = { letter: DeadLetter; isPending: boolean; onRedrive: () => void };

function LetterRow({ letter, isPending, onRedrive }: LetterRowProps) {
  const texts = messages.deadLetters;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {texts.kinds[letter.kind]}
        <Text size="xs" c="dimmed" className="breaks">
          {letter.group_id}
        </Text>
      </Table.Th>
      <Table.Td data-name={texts.error} className="breaks">
        {letter.error}
        <Text size="xs" c="dimmed">
          {texts.attempts(letter.failures, letter.losses)}
        </Text>
      </Table.Td>
      <Table.Td data-name={texts.failedAt}>
        <Timestamp at={letter.created_at} />
      </Table.Td>
      <Table.Td ta="right">
        {letter.kind !== "plan" && (
          <Button variant="default" size="xs" loading={isPending} onClick={onRedrive}>
            {texts.redrive}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
