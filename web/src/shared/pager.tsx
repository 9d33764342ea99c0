/** From one page of a list to the next; which one it is, is in the address. */
import { Group, Pagination, Text } from "@mantine/core";
import { formatNumber } from "./number-format.ts";

export function Pager({ page, pageSize, total, onPage }: PagerProps) {
  const pages = Math.ceil(total / pageSize);
  if (pages <= 1) return null;
  const first = (page - 1) * pageSize + 1;
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed" className="tabular">
        {formatNumber(first)} to {formatNumber(Math.min(page * pageSize, total))} of {formatNumber(total)}
      </Text>
      <Pagination
        total={pages}
        value={page}
        onChange={onPage}
        siblings={1}
        size="md"
        getControlProps={(control) => ({ "aria-label": CONTROL_NAMES[control] })}
        getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
      />
    </Group>
  );
}

type PagerProps = { page: number; pageSize: number; total: number; onPage: (page: number) => void };

const CONTROL_NAMES = {
  first: "First page",
  previous: "Page before",
  next: "Next page",
  last: "Last page",
} as const;

/** The page that the address names, from 1. */
export function parsePage(text: string | undefined): number {
  const page = Number(text);
  return Number.isInteger(page) && page >= 1 ? page : 1;
}
