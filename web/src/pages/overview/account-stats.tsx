/** The numbers one comes for: credits, and how the addresses of the last days turned out. */
import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber, formatPercent, plural } from "../../shared/number-format.ts";
import { Stat, StatGrid } from "../../shared/stat.tsx";
import { type Counts, checked } from "../usage/usage-days.ts";

export function AccountStats({ credits, sum, days }: AccountStatsProps) {
  const all = checked(sum);
  const settled = all - sum.unknown;
  return (
    <StatGrid>
      <Stat name="Credits left" value={formatNumber(credits.balance)}>
        {credits.balance === 0
          ? "Whoever runs this installation can give you more. "
          : credits.reserved > 0
            ? `${plural(credits.reserved, "more", "more")} held for work under way. `
            : ""}
        <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/usage" />}>
          See the ledger
        </Anchor>
      </Stat>
      <Stat name="Checked" value={formatNumber(all)}>
        {all === 1 ? "address" : "addresses"} in {days} days
      </Stat>
      <Stat
        name="Safe to send"
        value={all > 0 ? formatPercent(sum.valid / all) : "–"}
        share={sum.valid / all}
      >
        of all that were checked
      </Stat>
      <Stat
        name="Acceptance rate"
        value={settled > 0 ? formatPercent(sum.valid / settled) : "–"}
        share={sum.valid / settled}
      >
        valid, of those that could be settled
      </Stat>
    </StatGrid>
  );
}

type AccountStatsProps = { credits: { balance: number; reserved: number }; sum: Counts; days: number };
