/** Emails of a saved list that have become valid or invalid in the last run. */
import type { SavedList } from "@mailvet/contract";
import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { Section } from "../../components/section.tsx";
import { DataTable } from "../../components/table/data-table.tsx";
import { StatusBadge } from "../../components/verdict/status-badge.tsx";
import { common } from "../../messages.ts";
import { changesQuery } from "./list-queries.ts";
import { messages } from "./messages.tsx";

const SHOWN = 100;
const texts = messages.page.changed;

export function ListChanges({ list }: { list: SavedList }) {
  const { data: changes, error } = useQuery(changesQuery(list.id));
  return (
    <Section title={texts.title} intro={texts.intro} isBare>
      {error && <ErrorAlert error={error} />}
      {!changes && !error && <Loading />}
      {changes?.length === 0 && (
        <Text c="dimmed">{list.last_run_at === null ? texts.notChecked : texts.none}</Text>
      )}
      {changes && changes.length > 0 && (
        <DataTable
          label={texts.title}
          rows={changes.slice(0, SHOWN)}
          rowKey={({ row }) => String(row)}
          columns={[
            {
              name: common.email,
              width: "44%",
              cell: ({ row, email }) => (
                <Anchor
                  inherit
                  renderRoot={(props) => (
                    <Link
                      {...props}
                      to="/bulk/$jobId"
                      params={{ jobId: list.job_id }}
                      search={{ row: String(row) }}
                    />
                  )}
                >
                  {email}
                </Anchor>
              ),
              sortBy: ({ email }) => email,
            },
            {
              name: texts.now,
              cell: ({ status, sub_status }) => <StatusBadge status={status} subStatus={sub_status} />,
              sortBy: ({ status }) => status,
            },
            {
              name: texts.before,
              cell: ({ previous_status, previous_sub_status }) => (
                <StatusBadge status={previous_status} subStatus={previous_sub_status} />
              ),
              sortBy: ({ previous_status }) => previous_status,
            },
          ]}
        />
      )}
      {changes && changes.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {texts.first(SHOWN)}
        </Text>
      )}
    </Section>
  );
}
