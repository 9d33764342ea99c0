/** The opened panel of download links: by verdict or filter, format and columns. */

import "@mantine/core/styles/Table.layer.css";
import type { Job, Status } from "@mailvet/contract";
import { Anchor, Group, NativeSelect, Stack, Table, Text } from "@mantine/core";
import { type ReactElement, useState } from "react";
import { OpeningPanel } from "../../components/menu/opening-panel.tsx";
import { common } from "../../messages.ts";
import { isTestMode, mode } from "../../mode.ts";
import { queries } from "../../queries.ts";
import { hasEnded, jobQuery } from "../bulk/job-queries.ts";
import { messages } from "./messages.tsx";
import { type FilterText, isNarrowed } from "./result-filter.ts";

type Query = Readonly<Record<string, string>>;

const FORMATS = Object.entries(messages.downloads.formats);

const CHOICES: readonly (readonly [FilterText, name: string, hint: string])[] = [
  [{}, ...messages.downloads.all],
  [{ safe_to_send: "true" }, ...messages.downloads.safe],
  ...(Object.entries(messages.downloads.hints) as [Status, string][]).map(
    ([status, hint]) => [{ status }, common.status[status], hint] as const,
  ),
];

export default function DownloadPanel({ button, job, filter }: DownloadPanelProps) {
  const [columns, setColumns] = useState("");
  const chosen = columns === "" ? {} : { columns };
  const isFiltered = isNarrowed(filter) || filter.sort !== undefined;
  const choices = isFiltered ? [...CHOICES, [filter, ...messages.downloads.filtered] as const] : CHOICES;
  return (
    <OpeningPanel button={button} label={messages.downloads.title} width={340}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {hasEnded(job) ? messages.downloads.intro : messages.downloads.partial}
        </Text>
        <Table
          verticalSpacing={4}
          horizontalSpacing={6}
          withRowBorders={false}
          aria-label={messages.downloads.title}
        >
          <Table.Thead className="visually-hidden">
            <Table.Tr>
              {[messages.downloads.rows, ...FORMATS.map(([, label]) => label)].map((name) => (
                <Table.Th key={name} scope="col">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {choices.map(([rows, name, hint]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400}>
                  <Text size="sm" fw={500}>
                    {name}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {hint}
                  </Text>
                </Table.Th>
                {FORMATS.map(([format, label]) => (
                  <Table.Td key={format} ta="center" px={2}>
                    <DownloadLink
                      job={job}
                      query={{ format, ...rows, ...chosen }}
                      label={label}
                      name={messages.downloads.link(name, label)}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <NativeSelect
          label={messages.downloads.columns}
          value={columns}
          onChange={({ currentTarget: { value } }) => setColumns(value)}
          data={messages.downloads.columnChoices.map(([value, label]) => ({ value, label }))}
        />
        <Group gap="md" role="group" aria-label={messages.downloads.more}>
          <DownloadLink
            job={job}
            query={{ format: "csv", dialect: "excel", ...filter, ...chosen }}
            label={messages.downloads.forExcel}
          />
          <DownloadLink
            job={job}
            query={{ format: "zip", ...filter, ...chosen }}
            label={messages.downloads.zip}
          />
        </Group>
      </Stack>
    </OpeningPanel>
  );
}

type DownloadPanelProps = { button: ReactElement; job: Job; filter: FilterText };

type DownloadLinkProps = { job: Job; query: Query; label: string; name?: string };

function DownloadLink({ job, query, label, name }: DownloadLinkProps) {
  const parameters = new URLSearchParams({ ...query, ...(isTestMode && { mode }) });
  return (
    <Anchor
      href={`/api/v1/bulk/jobs/${encodeURIComponent(job.id)}/download?${parameters}`}
      download
      // The browser does not tell the page that a download was refused: the session has ended, or the job is gone.
      onClick={() => void queries.invalidateQueries(jobQuery(job.id))}
      size="sm"
      px={6}
      py={9}
      display="inline-block"
      {...(name && { "aria-label": name })}
    >
      {label}
    </Anchor>
  );
}
