/** What changed: the share that is safe to send, addresses checked and credits, compared with the period before. */

import { Anchor, Paper, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatChange, formatNumber, formatPercent } from "../../components/number-format.ts";
import { common } from "../../messages.ts";
import { checked, type UsageCounts } from "../usage/usage-days.ts";
import { messages } from "./messages.tsx";
import classes from "./overview.module.css";

export function AccountStats({ credits, sum, before, days }: AccountStatsProps) {
  const all = checked(sum);
  const allBefore = checked(before);
  const { stats } = messages;
  return (
    <Paper withBorder component="dl" m={0} className={classes.stats}>
      <Stat name={stats.safe} value={all > 0 ? formatPercent(sum.valid / all) : common.none} isMain>
        {all > 0 && stats.unknown(formatPercent(sum.unknown / all))}
        {all > 0 && allBefore > 0 && (
          <> · {stats.points(Math.round((sum.valid / all - before.valid / allBefore) * 100), days)}</>
        )}
      </Stat>
      <Stat name={stats.checked} value={formatNumber(all)}>
        {allBefore > 0 ? stats.change(formatChange(all / allBefore - 1), days) : stats.inDays(days)}
      </Stat>
      <Stat name={stats.credits} value={formatNumber(credits.balance)}>
        {credits.reserved > 0 && `${common.reservedForJobs(credits.reserved)} · `}
        <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/usage" />}>
          {stats.viewLedger}
        </Anchor>
      </Stat>
    </Paper>
  );
}

type AccountStatsProps = {
  credits: { balance: number; reserved: number };
  sum: UsageCounts;
  /** Of as many days before. */
  before: UsageCounts;
  days: number;
};

function Stat({ name, value, isMain = false, children }: StatProps) {
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

type StatProps = { name: string; value: string; isMain?: boolean; children?: ReactNode };
