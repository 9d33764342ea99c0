/** Pagination of a list. The page number is kept in the URL. */
import "@mantine/core/styles/Pagination.layer.css";
import { Group, Pagination, Text } from "@mantine/core";
import { common } from "../messages.ts";

export function Pager({ page, pageSize, total, onPage }: PagerProps) {
  const pages = Math.ceil(total / pageSize);
  if (pages <= 1) return null;
  const first = (page - 1) * pageSize + 1;
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed" className="tabular">
        {common.pager.range(first, Math.min(page * pageSize, total), total)}
      </Text>
      <Pagination
        total={pages}
        value={page}
        onChange={onPage}
        siblings={1}
        size="md"
        getControlProps={(control) => ({ "aria-label": common.pager[control] })}
        getItemProps={(number) => ({ "aria-label": common.pager.page(number) })}
      />
    </Group>
  );
}

type PagerProps = { page: number; pageSize: number; total: number; onPage: (page: number) => void };

/** The page number in the URL, from 1. */
export function parsePage(text: string | undefined): number {
  const page = Number(text);
  return Number.isInteger(page) && page >= 1 ? page : 1;
}
