/** Cells of a ledger entry. */

import type { LedgerEntry } from "@mailvet/contract";
import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber } from "../../components/number-format.ts";
import { messages } from "./messages.tsx";

/** A job, a request, or a note. */
export function Reference({ entry: { reference, reference_kind }, jobNames }: ReferenceProps) {
  const shortId = reference.slice(0, 8);
  if (reference_kind === "note") return <>{reference}</>;
  if (reference_kind === "request")
    return (
      <Text span inherit c="dimmed" title={messages.ledger.request(reference)}>
        {messages.ledger.request(shortId)}
      </Text>
    );
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link {...props} to="/bulk/$jobId" params={{ jobId: reference }} />}
    >
      {jobNames?.get(reference) ?? messages.ledger.job(shortId)}
    </Anchor>
  );
}

type ReferenceProps = { entry: LedgerEntry; jobNames: ReadonlyMap<string, string> | undefined };

export function signed(amount: number): string {
  return `${amount > 0 ? "+" : "−"}${formatNumber(Math.abs(amount))}`;
}
