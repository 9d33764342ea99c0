/** A grid of key figures, each with a label and a short explanation. */
import { Paper, SimpleGrid, type SimpleGridProps, Text } from "@mantine/core";
import type { ReactNode } from "react";

export function StatGrid({ cols = { base: 2, lg: 4 }, children }: StatGridProps) {
  return (
    <SimpleGrid component="dl" m={0} cols={cols} spacing={{ base: "xs", sm: "md" }}>
      {children}
    </SimpleGrid>
  );
}

type StatGridProps = { cols?: SimpleGridProps["cols"]; children: ReactNode };

export function Stat({ name, value, isSmall = false, children }: StatProps) {
  return (
    <Paper withBorder p={isSmall ? "sm" : { base: "sm", sm: "lg" }}>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <dd className="figure breaks" style={{ margin: 0 }}>
        {value}
      </dd>
      <Text component="dd" m={0} size={isSmall ? "xs" : "sm"} c="dimmed">
        {children}
      </Text>
    </Paper>
  );
}

type StatProps = {
  name: string;
  value: string;
  isSmall?: boolean;
  children?: ReactNode;
};
