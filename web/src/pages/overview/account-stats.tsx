/** What changed: the share that is safe to send, addresses checked and credits, compared with the period before. */

import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { KeyFigure, KeyFigures } from "../../components/key-figures.tsx";
import { formatChange, formatNumber, formatPercent } from "../../components/number-format.ts";
import { common } from "../../messages.ts";
import { checked, type UsageCounts } from "../usage/usage-days.ts";
import { messages } from "./messages.tsx";

export function AccountStats({ credits, sum, before, days }: AccountStatsProps) {
  const all = checked(sum);
  const allBefore = checked(before);
  const { stats } = messages;
  return (
    <KeyFigures>
      <KeyFigure name={stats.safe} value={all > 0 ? formatPercent(sum.valid / all) : common.none} isMain>
        {all > 0 && stats.unknown(formatPercent(sum.unknown / all))}
        {all > 0 && allBefore > 0 && (
          <> · {stats.points(Math.round((sum.valid / all - before.valid / allBefore) * 100), days)}</>
        )}
      </KeyFigure>
      <KeyFigure name={stats.checked} value={formatNumber(all)}>
        {allBefore > 0 ? stats.change(formatChange(all / allBefore - 1), days) : stats.inDays(days)}
      </KeyFigure>
      <KeyFigure name={stats.credits} value={formatNumber(credits.balance)}>
        {credits.reserved > 0 && `${common.reservedForJobs(credits.reserved)} · `}
        <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/usage" />}>
          {stats.viewLedger}
        </Anchor>
      </KeyFigure>
    </KeyFigures>
  );
}

type AccountStatsProps = {
  credits: { balance: number; reserved: number };
  sum: UsageCounts;
  /** Of as many days before. */
  before: UsageCounts;
  days: number;
};
