/** One entry of the ledger in words: what happened, what for, and by how much. */
import type { LedgerEntry } from "@mailvet/contract";
import { Anchor, Text, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber } from "../../shared/number-format.ts";

/** What happened, as a bookkeeper would put it. */
export function entryWords({ kind, amount }: LedgerEntry): string {
  if (kind === "settle" && amount === 0) return "Spent from what was held";
  return KINDS[kind];
}

const KINDS: Readonly<Record<LedgerEntry["kind"], string>> = {
  grant: "Credits added",
  adjust: "Credits taken back",
  reserve: "Held",
  settle: "Spent",
  release: "Not needed, returned",
  refund: "Refunded",
};

/** A list, a check, or words that somebody wrote. */
export function Reference({ entry: { reference, reference_kind }, jobNames }: ReferenceProps) {
  const shortId = reference.slice(0, 8);
  if (reference_kind === "note") return <>{reference}</>;
  if (reference_kind === "request")
    return (
      <Text span inherit c="dimmed" title={`Request ${reference}`}>
        Request {shortId}
      </Text>
    );
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link {...props} to="/bulk/$jobId" params={{ jobId: reference }} />}
    >
      {jobNames?.get(reference) ?? `Job ${shortId}`}
    </Anchor>
  );
}

type ReferenceProps = { entry: LedgerEntry; jobNames: ReadonlyMap<string, string> | undefined };

/** By how much an amount has changed, with its sign. */
export function Change({ by }: { by: number }) {
  if (by !== 0) return <>{signed(by)}</>;
  return (
    <>
      <Text span inherit c="dimmed" aria-hidden="true">
        –
      </Text>
      <VisuallyHidden>unchanged</VisuallyHidden>
    </>
  );
}

export function signed(amount: number): string {
  return `${amount > 0 ? "+" : "−"}${formatNumber(Math.abs(amount))}`;
}
