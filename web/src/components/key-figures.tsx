/** The figures that answer the question of a page, in one card: the first in the largest type. */
import { Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./key-figures.module.css";

export function KeyFigures({ children }: { children: ReactNode }) {
  return (
    <Paper withBorder component="dl" m={0} className={classes.figures}>
      {children}
    </Paper>
  );
}

export function KeyFigure({ name, value, isMain = false, children }: KeyFigureProps) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <dd className={isMain ? "display" : "figure"}>{value}</dd>
      <Text component="dd" size="sm" c="dimmed">
        {children || "\u00a0"}
      </Text>
    </div>
  );
}

type KeyFigureProps = { name: string; value: string; isMain?: boolean; children?: ReactNode };
