/** The first rows of a file, the chosen column standing out. */
import type { UploadPreview } from "@mailvet/contract";
import { Table, Text } from "@mantine/core";
import { formatNumber, plural } from "../../shared/number-format.ts";
import classes from "./bulk.module.css";

/** Wider tables show these, and the chosen column. */
const MAX_COLUMNS_SHOWN = 30;

export function PreviewTable({ preview, chosen }: { preview: UploadPreview; chosen: string }) {
  const { columns, sample_rows: rows } = preview;
  const shown = [...columns.keys()].filter((index) => index < MAX_COLUMNS_SHOWN || columns[index] === chosen);
  const hidden = columns.length - shown.length;
  return (
    <>
      <Table.ScrollContainer
        minWidth={Math.min(shown.length, 8) * 150}
        maxHeight={420}
        type="native"
        tabIndex={0}
      >
        <Table withTableBorder verticalSpacing="xs" aria-label="The first rows of the file">
          <Table.Thead>
            <Table.Tr>
              {shown.map((index) => {
                const name = columns[index]!;
                const isChosen = name === chosen;
                return (
                  <Table.Th key={index} scope="col" className={isChosen ? classes.chosen : undefined}>
                    <span className={classes.cell}>{name}</span>
                    <Text
                      span
                      size="xs"
                      fw={isChosen ? 600 : 400}
                      {...(!isChosen && { c: "dimmed" })}
                      display="block"
                    >
                      {isChosen ? "These are validated" : emailsIn(preview, name)}
                    </Text>
                  </Table.Th>
                );
              })}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((cells, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name but its number
              <Table.Tr key={row}>
                {shown.map((index) => (
                  <Table.Td key={index} className={columns[index] === chosen ? classes.chosen : undefined}>
                    <span className={classes.cell}>{cells[index] ?? ""}</span>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed">
        The first {plural(rows.length, "row")} of {formatNumber(preview.total_rows)}
        {hidden > 0 ? `, without ${plural(hidden, "further column")}` : ""}.{" "}
        {preview.has_header ? "The header row is not counted." : "The file has no header row."}
      </Text>
    </>
  );
}

export function emailsIn({ email_count_by_column: counts }: UploadPreview, column: string): string {
  const count = counts[column] ?? 0;
  return count === 0 ? "No emails" : plural(count, "email");
}
