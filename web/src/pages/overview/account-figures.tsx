/** The numbers one comes for: credits, and how the addresses of the last days turned out. */
import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { counted, grouped, percent } from "../../parts/counted.ts";
import { Figure, Figures } from "../../parts/figure.tsx";
import { type Counts, checked } from "../usage/usage-days.ts";

export function AccountFigures({ credits, sum, days }: AccountFiguresProps) {
  const all = checked(sum);
  const settled = all - sum.unknown;
  return (
    <Figures>
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
    </Figures>
  );
}

type AccountFiguresProps = { credits: { balance: number; reserved: number }; sum: Counts; days: number };
