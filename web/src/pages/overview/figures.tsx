/** The numbers one comes for: credits, and how the addresses of the last days turned out. */
import { Anchor, Paper, Progress, SimpleGrid, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { counted, grouped, percent } from "../../parts/counted.ts";
import { STATUS_CHART_COLORS } from "../../theme.ts";
import { type Counts, checked } from "../usage/usage-days.ts";

export function Figures({ credits, sum, days }: FiguresProps) {
  const all = checked(sum);
  const settled = all - sum.unknown;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "xs", sm: "md" }}>
      <Figure name="Credits left" value={grouped(credits.balance)}>
        {credits.balance === 0
          ? "Whoever runs this installation can give you more. "
          : credits.reserved > 0
            ? `${counted(credits.reserved, "more", "more")} held for work under way. `
            : ""}
        <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/usage" />}>
          See the ledger
        </Anchor>
      </Figure>
      <Figure name="Checked" value={grouped(all)}>
        {all === 1 ? "address" : "addresses"} in {days} days
      </Figure>
      <Figure name="Safe to send" value={all > 0 ? percent(sum.valid / all) : "–"} share={sum.valid / all}>
        of all that were checked
      </Figure>
      <Figure
        name="Acceptance rate"
        value={settled > 0 ? percent(sum.valid / settled) : "–"}
        share={sum.valid / settled}
      >
        valid, of those that could be settled
      </Figure>
    </SimpleGrid>
  );
}

type FiguresProps = { credits: { balance: number; reserved: number }; sum: Counts; days: number };

function Figure({ name, value, share, children }: FigureProps) {
  return (
    <Paper withBorder p={{ base: "sm", sm: "lg" }}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz={{ base: 24, sm: 32 }} fw={650} lh={1.3} className="tabular">
        {value}
      </Text>
      {share !== undefined && (
        <Progress value={share * 100 || 0} color={STATUS_CHART_COLORS.valid} size="sm" my={6} aria-hidden />
      )}
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </Paper>
  );
}

type FigureProps = {
  name: string;
  value: string;
  /** Of one; drawn as a bar. Not a number where nothing was counted. */
  share?: number;
  children: ReactNode;
};
