/** Emails of a saved list that have become valid or invalid in the last run. */
import type { SavedList } from "@mailvet/contract";
import { Anchor, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { Section } from "../../components/section.tsx";
import { StatusBadge } from "../../components/verdict/status-badge.tsx";
import { TableHead } from "../../components/table-head.tsx";
import { common } from "../../messages.ts";
import { changesQuery } from "./list-queries.ts";
import { messages } from "./messages.tsx";

const SHOWN = 100;
const texts = messages.page.changed;

export function ListChanges({ list, hasRun }: { list: SavedList; hasRun: boolean }) {
  const { data: changes, error } = useQuery(changesQuery(list.id));
  return (
    <Section title={texts.title} intro={texts.intro}>
      {error && <ErrorAlert error={error} />}
      {!changes && !error && <Loading />}
      {changes?.length === 0 && <Text c="dimmed">{hasRun ? texts.none : texts.notChecked}</Text>}
      {changes && changes.length > 0 && (
        <Table className="stacks" aria-label={texts.title} verticalSpacing={6}>
          <TableHead columns={[common.email, texts.now, texts.before]} />
          <Table.Tbody>
            {changes.slice(0, SHOWN).map((change) => (
              <Table.Tr key={change.row}>
                <Table.Th scope="row" fw={500} className="breaks">
                  <Anchor
                    inherit
                    renderRoot={(props) => (
                      <Link
                        {...props}
                        to="/bulk/$jobId"
                        params={{ jobId: list.job_id }}
                        search={{ row: String(change.row) }}
                      />
                    )}
                  >
                    {change.email}
                  </Anchor>
                </Table.Th>
                <Table.Td data-name={texts.now}>
                  <StatusBadge status={change.status} subStatus={change.sub_status} />
                </Table.Td>
                <Table.Td data-name={texts.before}>
                  <StatusBadge status={change.previous_status} subStatus={change.previous_sub_status} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {changes && changes.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {texts.first(SHOWN)}
        </Text>
      )}
    </Section>
  );
}
