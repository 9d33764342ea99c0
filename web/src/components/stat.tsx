/** A grid of key figures, each with a label and a short explanation. */
import { Paper, Progress, SimpleGrid, type SimpleGridProps, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { STATUS_COLORS } from "../theme.ts";

export function StatGrid({ cols = { base: 2, lg: 4 }, children }: StatGridProps) {
  return (
    <SimpleGrid component="dl" m={0} cols={cols} spacing={{ base: "xs", sm: "md" }}>
      {children}
    </SimpleGrid>
  );
}

type StatGridProps = { cols?: SimpleGridProps["cols"]; children: ReactNode };

export function Stat({ name, value, share, isSmall = false, children }: StatProps) {
  return (
    <Paper withBorder p={isSmall ? "sm" : { base: "sm", sm: "lg" }}>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text
        component="dd"
        m={0}
        fz={isSmall ? "xl" : { base: 24, sm: 32 }}
        fw={600}
        lh={1.3}
        className="tabular breaks"
      >
        {value}
      </Text>
      {share !== undefined && (
        <Progress value={share * 100 || 0} color={STATUS_COLORS.valid} size="sm" my={6} aria-hidden />
      )}
      <Text component="dd" m={0} size={isSmall ? "xs" : "sm"} c="dimmed">
        {children}
      </Text>
    </Paper>
  );
}

type StatProps = {
  name: string;
  value: string;
  /** From 0 to 1, drawn as a bar. NaN where nothing was counted. */
  share?: number;

  isSmall?: boolean;
  children?: ReactNode;
};
