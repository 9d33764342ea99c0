/** The file with its verdicts, to take along: which rows, and as what. Plain links, which the browser fetches itself. */
import type { DownloadQuery, Job, Status } from "@mailvet/contract";
import { Anchor, Button, Popover, Stack, Table, Text } from "@mantine/core";

type Format = DownloadQuery["format"];

const FORMATS: readonly (readonly [Format, name: string])[] = [
  ["csv", "CSV"],
  ["xlsx", "Excel"],
  ["ndjson", "NDJSON"],
];

const CHOICES: readonly (readonly [Status | undefined, name: string, hint: string])[] = [
  [undefined, "All rows", "the whole file"],
  ["valid", "Valid", "safe to write to"],
  ["risky", "Risky", "for you to decide"],
  ["unknown", "Unknown", "worth another try"],
  ["invalid", "Invalid", "better left out"],
];

export function JobDownloads({ job }: { job: Job }) {
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus width={340}>
      <Popover.Target>
        <Button>Download</Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Downloads">
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            Your own rows and columns, with the verdicts after them.
          </Text>
          <Table verticalSpacing={4} horizontalSpacing={6} withRowBorders={false} aria-label="Downloads">
            <Table.Thead className="unseen">
              <Table.Tr>
                <Table.Th scope="col">Rows</Table.Th>
                {FORMATS.map(([format, label]) => (
                  <Table.Th key={format} scope="col">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
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
                        aria-label={`${name} as ${label}`}
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

function downloadPath({ id }: Job, format: Format, status: Status | undefined): string {
  const query = new URLSearchParams({ format, ...(status && { status }) });
  return `/api/v1/bulk/jobs/${encodeURIComponent(id)}/download?${query}`;
}
