/** What a column holds, and what validating it costs against what there is. */
import type { UploadPreview } from "@mailvet/contract";
import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber, plural } from "../../shared/number-format.ts";
import { Stat, StatGrid } from "../../shared/stat.tsx";

export function PreviewCost({ preview, column, balance }: PreviewCostProps) {
  const { emails, unique, repeated } = columnCounts(preview, column);
  return (
    <StatGrid cols={{ base: 2, md: 4 }}>
      <Stat isSmall name="Look like an email" value={formatNumber(emails)}>
        of {plural(preview.total_rows, "row")}
      </Stat>
      <Stat isSmall name="Different entries" value={unique === undefined ? "–" : formatNumber(unique)}>
        {unique === undefined ? "Counted when you start" : "Each is validated once"}
      </Stat>
      <Stat isSmall name="Repeated or empty" value={repeated === undefined ? "–" : formatNumber(repeated)}>
        These cost nothing
      </Stat>
      <Stat isSmall name="Cost" value={unique === undefined ? "–" : plural(unique, "credit")}>
        {balance === undefined ? "" : leftOf(balance, unique)}
      </Stat>
    </StatGrid>
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
  if (cost === undefined) return `You have ${formatNumber(balance)}`;
  const left = balance - cost;
  return left < 0
    ? `You have ${formatNumber(balance)}`
    : `${formatNumber(left)} of ${formatNumber(balance)} are left then`;
}

/** Why it cannot be started, if so. */
export function Shortage({ missing, id }: { missing: number; id: string }) {
  return (
    <Group id={id} gap={6}>
      <Text size="sm" c="red" fw={600}>
        {plural(missing, "credit is", "credits are")} missing.
      </Text>
      <Anchor size="sm" component={Link} to="/usage" underline="always">
        See your credits
      </Anchor>
    </Group>
  );
}
