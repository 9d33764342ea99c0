/** What a column holds, and what validating it costs against what there is. */
import type { UploadPreview } from "@mailvet/contract";
import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { counted, grouped } from "../../parts/counted.ts";
import { Figure, Figures } from "../../parts/figure.tsx";

export function PreviewCost({ preview, column, balance }: PreviewCostProps) {
  const { emails, unique, repeated } = columnCounts(preview, column);
  return (
    <Figures cols={{ base: 2, md: 4 }}>
      <Figure isSmall name="Look like an email" value={grouped(emails)}>
        of {counted(preview.total_rows, "row")}
      </Figure>
      <Figure isSmall name="Different entries" value={unique === undefined ? "–" : grouped(unique)}>
        {unique === undefined ? "Counted when you start" : "Each is validated once"}
      </Figure>
      <Figure isSmall name="Repeated or empty" value={repeated === undefined ? "–" : grouped(repeated)}>
        These cost nothing
      </Figure>
      <Figure isSmall name="Cost" value={unique === undefined ? "–" : counted(unique, "credit")}>
        {balance === undefined ? "" : leftOf(balance, unique)}
      </Figure>
    </Figures>
  );
}

type PreviewCostProps = { preview: UploadPreview; column: string; balance: number | undefined };

export type ColumnCounts = {
  emails: number;
  /** Different entries, and so credits; undefined when the service has not counted this column yet. */
  unique: number | undefined;
  /** Rows that repeat an earlier one or have nothing in this column. */
  repeated: number | undefined;
};

export function columnCounts(preview: UploadPreview, column: string): ColumnCounts {
  const unique = preview.unique_count_by_column[column];
  return {
    emails: preview.email_count_by_column[column] ?? 0,
    unique,
    repeated: unique === undefined ? undefined : preview.total_rows - unique,
  };
}

function leftOf(balance: number, cost: number | undefined): string {
  if (cost === undefined) return `You have ${grouped(balance)}`;
  const left = balance - cost;
  return left < 0 ? `You have ${grouped(balance)}` : `${grouped(left)} of ${grouped(balance)} are left then`;
}

/** Why it cannot be started, if so. */
export function Shortage({ missing, id }: { missing: number; id: string }) {
  return (
    <Group id={id} gap={6}>
      <Text size="sm" c="red" fw={600}>
        {counted(missing, "credit is", "credits are")} missing.
      </Text>
      <Anchor size="sm" component={Link} to="/usage" underline="always">
        See your credits
      </Anchor>
    </Group>
  );
}
