/** The first rows of a file, with the email column highlighted. */

import "@mantine/core/styles/Table.layer.css";
import type { UploadPreview } from "@mailvet/contract";
import { Table, Text } from "@mantine/core";
import classes from "./bulk.module.css";
import { messages } from "./messages.tsx";

/** Wider tables show the first columns and the chosen one. */
const MAX_COLUMNS_SHOWN = 30;

export function PreviewTable({ preview, chosen }: { preview: UploadPreview; chosen: readonly string[] }) {
  const { columns, sample_rows: rows } = preview;
  const shown = [...columns.keys()].filter(
    (index) => index < MAX_COLUMNS_SHOWN || chosen.includes(columns[index]!),
  );
  const hidden = columns.length - shown.length;
  return (
    <>
      <Table.ScrollContainer
        minWidth={Math.min(shown.length, 8) * 150}
        maxHeight={420}
        type="native"
        tabIndex={0}
      >
        <Table withTableBorder verticalSpacing="xs" aria-label={messages.preview.table}>
          <Table.Thead>
            <Table.Tr>
              {shown.map((index) => {
                const name = columns[index]!;
                const isChosen = chosen.includes(name);
                return (
                  <Table.Th key={index} scope="col" className={isChosen ? classes.chosen : undefined}>
                    <span className={classes.cell} dir="auto">
                      {name}
                    </span>
                    <Text
                      span
                      size="xs"
                      fw={isChosen ? 600 : 400}
                      {...(!isChosen && { c: "dimmed" })}
                      display="block"
                      className={classes.hint}
                    >
                      {isChosen
                        ? messages.preview.columnChosen
                        : messages.preview.columnEmails(preview.email_count_by_column[name] ?? 0)}
                    </Text>
                  </Table.Th>
                );
              })}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((cells, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
              <Table.Tr key={row}>
                {shown.map((index) => (
                  <Table.Td
                    key={index}
                    className={chosen.includes(columns[index]!) ? classes.chosen : undefined}
                  >
                    <span className={classes.cell} dir="auto">
                      {cells[index] ?? ""}
                    </span>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed">
        {messages.preview.caption(rows.length, preview.total_rows, hidden, preview.has_header)}
      </Text>
    </>
  );
}
