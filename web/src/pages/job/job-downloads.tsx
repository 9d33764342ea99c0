/** Download links for the file with its verdicts, by verdict and format. */

import type { DownloadFormat, Job, Status } from "@mailvet/contract";
import { Anchor, Button, Popover, Stack, Table, Text } from "@mantine/core";
import { TableHead } from "../../components/table-head.tsx";
import { common } from "../../messages.ts";
import { isTestMode, mode } from "../../mode.ts";
import { messages } from "./messages.tsx";

const FORMATS = Object.entries(messages.downloads.formats) as readonly (readonly [
  DownloadFormat,
  name: string,
])[];

const CHOICES: readonly (readonly [Status | undefined, name: string, hint: string])[] = [
  [undefined, ...messages.downloads.all],
  ...(Object.entries(messages.downloads.hints) as [Status, string][]).map(
    ([status, hint]) => [status, common.status[status], hint] as const,
  ),
];

export function JobDownloads({ job }: { job: Job }) {
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus width={340}>
      <Popover.Target>
        <Button>{messages.downloads.button}</Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={messages.downloads.title}>
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {messages.downloads.intro}
          </Text>
          <Table
            verticalSpacing={4}
            horizontalSpacing={6}
            withRowBorders={false}
            aria-label={messages.downloads.title}
          >
            <TableHead
              columns={[messages.downloads.rows, ...FORMATS.map(([, label]) => label)]}
              className="visually-hidden"
            />
            <Table.Tbody>
              {CHOICES.map(([status, name, hint]) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={400}>
                    <Text size="sm" fw={600}>
                      {name}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {hint}
                    </Text>
                  </Table.Th>
                  {FORMATS.map(([format, label]) => (
                    <Table.Td key={format} ta="center" px={2}>
                      <Anchor
                        href={downloadPath(job, format, status)}
                        download
                        size="sm"
                        px={6}
                        py={9}
                        display="inline-block"
                        aria-label={messages.downloads.link(name, label)}
                      >
                        {label}
                      </Anchor>
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function downloadPath({ id }: Job, format: DownloadFormat, status: Status | undefined): string {
  const query = new URLSearchParams({ format, ...(status && { status }), ...(isTestMode && { mode }) });
  return `/api/v1/bulk/jobs/${encodeURIComponent(id)}/download?${query}`;
}
