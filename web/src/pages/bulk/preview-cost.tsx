/** Counts of the email column, and the cost against the available credits. */

import type { UploadPreview } from "@mailvet/contract";
import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber } from "../../components/number-format.ts";
import { Stat, StatGrid } from "../../components/stat.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";

export function PreviewCost({ preview, column, more, balance }: PreviewCostProps) {
  const { emails, unique, duplicates } = columnCounts(preview, column, more);
  const { cost } = messages;
  return (
    <StatGrid cols={{ base: 2, md: 4 }}>
      <Stat isSmall name={cost.validFormat} value={formatNumber(emails)}>
        {more.length > 0 ? cost.inColumns(1 + more.length) : cost.ofRows(preview.total_rows)}
      </Stat>
      <Stat isSmall name={cost.unique} value={unique === undefined ? common.none : formatNumber(unique)}>
        {unique === undefined ? cost.uniqueLater : cost.uniqueHint}
      </Stat>
      <Stat
        isSmall
        name={cost.duplicates}
        value={duplicates === undefined ? common.none : formatNumber(duplicates)}
      >
        {cost.duplicatesHint}
      </Stat>
      <Stat isSmall name={cost.cost} value={unique === undefined ? common.none : common.credits(unique)}>
        {balance === undefined ? "" : leftOf(balance, unique)}
      </Stat>
    </StatGrid>
  );
}

type PreviewCostProps = {
  preview: UploadPreview;
  column: string;
  more: readonly string[];
  balance: number | undefined;
};

export type ColumnCounts = {
  emails: number;
  /** Unique entries, which is the cost in credits; undefined for columns that the service has not counted. */
  unique: number | undefined;
  /** Rows that repeat an earlier entry or are blank in this column. */
  duplicates: number | undefined;
};

/** Of several columns the service counts unique emails when the job starts. */
export function columnCounts(preview: UploadPreview, column: string, more: readonly string[]): ColumnCounts {
  if (more.length > 0) {
    const emails = [column, ...more].reduce(
      (sum, name) => sum + (preview.email_count_by_column[name] ?? 0),
      0,
    );
    return { emails, unique: undefined, duplicates: undefined };
  }
  const unique = preview.unique_count_by_column[column];
  return {
    emails: preview.email_count_by_column[column] ?? 0,
    unique,
    duplicates: unique === undefined ? undefined : preview.total_rows - unique,
  };
}

function leftOf(balance: number, cost: number | undefined): string {
  if (cost === undefined || cost > balance) return messages.cost.balance(balance);
  return messages.cost.left(balance - cost);
}

/** Why the job can't be started. */
export function MissingCredits({ missing, id }: { missing: number; id: string }) {
  return (
    <Group id={id} gap={6}>
      <Text size="sm" c="red" fw={500}>
        {messages.preview.missingCredits(missing)}
      </Text>
      <Anchor size="sm" component={Link} to="/usage" underline="always">
        {messages.preview.viewCredits}
      </Anchor>
    </Group>
  );
}
