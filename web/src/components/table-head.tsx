/** Header row of a table: text columns, then right-aligned columns of numbers. */
import { Table } from "@mantine/core";
import type { ReactNode } from "react";

export function TableHead({ columns, numbers = [], className, children }: TableHeadProps) {
  return (
    <Table.Thead {...(className && { className })}>
      <Table.Tr>
        {columns.map((name) => (
          <Table.Th key={name} scope="col">
            {name}
          </Table.Th>
        ))}
        {numbers.map((name) => (
          <Table.Th key={name} scope="col" ta="right">
            {name}
          </Table.Th>
        ))}
        {children}
      </Table.Tr>
    </Table.Thead>
  );
}

type TableHeadProps = {
  columns: readonly string[];
  numbers?: readonly string[];
  className?: string;
  /** Further cells, such as that above a column of buttons. */
  children?: ReactNode;
};
