/**
 * A table with one line per row: aligned columns, sticky header, sorting, and a menu of actions at the end of each row. On
 * narrow screens each row is a card. Sorted here, or by the caller where the list has pages.
 */
import { Paper, UnstyledButton } from "@mantine/core";
import { type ReactNode, useState } from "react";
import classes from "./data-table.module.css";
import { RowMenu } from "./row-menu.tsx";
import type { RowAction } from "./row-menu-items.tsx";

export type Column<Row> = {
  name: string;
  cell: (row: Row) => ReactNode;
  /** Width of the column; the others share what is left. */
  width?: number | string;
  isNumber?: boolean;
  /** Shows the whole text in as many lines as it needs. */
  wraps?: boolean;
  /** Makes the column sortable: the value to sort by, or the caller's name of the order. */
  sortBy?: ((row: Row) => string | number | null) | string;
  /** The order of the first click. */
  first?: SortOrder;
  /** Shown on wide screens only. */
  isWide?: boolean;
};

type SortOrder = "asc" | "desc";

export function DataTable<Row>({
  label,
  rows,
  rowKey,
  columns,
  menu,
  isDim,
  sorted,
  onSort,
  isPlain = false,
  isScrolled = false,
}: DataTableProps<Row>) {
  const [own, setOwn] = useState<{ name: string; order: SortOrder }>();
  const current = sorted ?? own;
  const choose = (column: Column<Row>) => {
    const name = sortNameOf(column);
    const order = current?.name === name ? OTHER[current.order] : (column.first ?? "asc");
    if (onSort) onSort(name, order);
    else setOwn({ name, order });
  };
  return (
    <Paper
      withBorder={!isPlain}
      {...(isScrolled && { role: "region", "aria-label": label, tabIndex: 0 })}
      className={isScrolled ? classes.scrolled : undefined}
    >
      <table className={classes.table} aria-label={label}>
        <thead className={classes.head}>
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                style={{ width: column.width }}
                className={classNames(column)}
                aria-sort={
                  current && column.sortBy && current.name === sortNameOf(column)
                    ? SORTED[current.order]
                    : undefined
                }
              >
                {column.sortBy ? (
                  <UnstyledButton className={classes.sort} onClick={() => choose(column)}>
                    {column.name}
                    <span aria-hidden="true" className={classes.arrow}>
                      {current?.name === sortNameOf(column) ? ARROWS[current.order] : ARROWS.none}
                    </span>
                  </UnstyledButton>
                ) : (
                  column.name
                )}
              </th>
            ))}
            {menu && <td style={{ width: 48 }} />}
          </tr>
        </thead>
        <tbody>
          {inOrder(rows, columns, own).map((row) => (
            <DataRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              menu={menu}
              isDim={isDim?.(row) ?? false}
            />
          ))}
        </tbody>
      </table>
    </Paper>
  );
}

type DataTableProps<Row> = {
  label: string;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The first is the heading of each row. */
  columns: readonly Column<Row>[];
  /** Actions of a row, and its name for screen readers. */
  menu?: (row: Row) => { name: string; actions: readonly RowAction[] };
  /** Rows that are no longer in use. */
  isDim?: (row: Row) => boolean;
  /** The order, where the caller sorts. */
  sorted?: { name: string; order: SortOrder };
  onSort?: (name: string, order: SortOrder) => void;
  /** Without a frame, inside a card. */
  isPlain?: boolean;
  /** Of limited height, with a scroll bar of its own. */
  isScrolled?: boolean;
};

const SORTED = { asc: "ascending", desc: "descending" } as const;
const OTHER = { asc: "desc", desc: "asc" } as const;
const ARROWS = { asc: "↑", desc: "↓", none: "" } as const;

function DataRow<Row>({
  row,
  columns: [heading, ...columns],
  menu,
  isDim,
}: {
  row: Row;
  columns: readonly Column<Row>[];
  menu: DataTableProps<Row>["menu"] | undefined;
  isDim: boolean;
}) {
  const actions = menu?.(row);
  return (
    <tr className={isDim ? classes.dim : ""}>
      <th scope="row" className={classes.heading}>
        <div className={heading!.wraps ? "breaks" : classes.line}>{heading!.cell(row)}</div>
      </th>
      {columns.map((column) => (
        <td key={column.name} data-name={column.name} className={classNames(column)}>
          <div className={column.wraps ? "breaks" : classes.line}>{column.cell(row)}</div>
        </td>
      ))}
      {menu && (
        <td className={classes.menu}>{actions && actions.actions.length > 0 && <RowMenu {...actions} />}</td>
      )}
    </tr>
  );
}

function classNames<Row>({ isNumber, isWide }: Column<Row>): string {
  return [isNumber && classes.number, isWide && classes.wide].filter(Boolean).join(" ");
}

const sortNameOf = <Row,>({ name, sortBy }: Column<Row>) => (typeof sortBy === "string" ? sortBy : name);

function inOrder<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: { name: string; order: SortOrder } | undefined,
): readonly Row[] {
  const by = order && columns.find(({ name }) => name === order.name)?.sortBy;
  if (typeof by !== "function") return rows;
  const sign = order!.order === "asc" ? 1 : -1;
  return rows.toSorted((one, other) => sign * compare(by(one), by(other)));
}

/** Missing values come first. */
function compare(one: string | number | null, other: string | number | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return typeof one === "string" ? one.localeCompare(String(other)) : one - Number(other);
}
