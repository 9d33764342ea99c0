/** Key figures: credits, and verdicts of the last days. */

import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { Stat, StatGrid } from "../../components/stat.tsx";
import { common } from "../../messages.ts";
import { checked, type UsageCounts } from "../usage/usage-days.ts";
import { messages } from "./messages.tsx";

export function AccountStats({ credits, sum, days }: AccountStatsProps) {
  const all = checked(sum);
  const decided = all - sum.unknown;
  const { stats } = messages;
  return (
    <StatGrid>
      <Stat name={stats.credits} value={formatNumber(credits.balance)}>
        {credits.balance === 0
          ? `${common.askForCredits} `
          : credits.reserved > 0
            ? `${common.reservedForJobs(credits.reserved)}. `
            : ""}
        <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/usage" />}>
          {stats.viewLedger}
        </Anchor>
      </Stat>
      <Stat name={stats.checked} value={formatNumber(all)}>
        {stats.inDays(days)}
      </Stat>
      <Stat
        name={stats.safe}
        value={all > 0 ? formatPercent(sum.valid / all) : common.none}
        share={sum.valid / all}
      >
        {stats.safeHint}
      </Stat>
      <Stat
        name={stats.acceptance}
        value={decided > 0 ? formatPercent(sum.valid / decided) : common.none}
        share={sum.valid / decided}
      >
        {stats.acceptanceHint}
      </Stat>
    </StatGrid>
  );
}

type AccountStatsProps = { credits: { balance: number; reserved: number }; sum: UsageCounts; days: number };
