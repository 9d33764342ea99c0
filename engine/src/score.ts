/**
 * The score: estimated probability, in percent, that a message sent now is accepted.
 *
 * It starts from the verdict and is adjusted by the other evidence. It never leaves the band of its verdict, so
 * sorting by score never puts an invalid address above a valid one.
 */
import type { SubStatus } from "@mailvet/contract";
import type { Evidence } from "./evidence.ts";
import { knownOutcome } from "./known-outcome.ts";
import { isUnproven, type Verdict } from "./verdict.ts";

type Band = readonly [lowest: number, start: number, highest: number];

export const SCORE_BANDS: Record<SubStatus, Band> = {
  "": [90, 96, 99],
  privacy_relay: [85, 92, 97],
  agent_mailbox: [85, 92, 97],
  role_based: [80, 92, 96],
  low_quality: [50, 75, 85],
  possible_typo: [40, 70, 80],
  disposable: [10, 40, 60],
  catch_all: [25, 62, 88],
  mailbox_full: [6, 15, 25],
  restricted: [6, 8, 15],

  greylisted: [40, 60, 80],
  rate_limited: [30, 55, 75],
  probe_blocked: [30, 55, 75],
  temporary_error: [25, 45, 65],
  smtp_unreachable: [10, 30, 50],
  smtp_timeout: [15, 35, 55],
  smtp_protocol_error: [15, 35, 55],
  egress_blocked: [30, 55, 75],
  server_untrusted: [25, 45, 65],
  smtp_skipped: [30, 55, 75],
  dns_error: [15, 30, 45],
  internal_error: [30, 50, 70],

  syntax_error: [0, 0, 0],
  provider_syntax: [0, 1, 2],
  reserved_domain: [0, 0, 0],
  domain_not_found: [0, 0, 1],
  no_mail_server: [0, 1, 2],
  null_mx: [0, 0, 1],
  unroutable_mail_server: [0, 1, 3],
  mailbox_not_found: [0, 1, 3],
  mailbox_disabled: [0, 1, 3],
  domain_not_accepted: [0, 2, 5],
  smtputf8_unsupported: [0, 2, 5],
};

/** Adjustments within the band: [points, condition]. */
const ADJUSTMENTS: readonly (readonly [points: number, applies: (e: Evidence) => boolean])[] = [
  [+2, (e) => e.policies?.spf === true],
  [+2, (e) => e.policies?.dmarc === true],
  [-5, (e) => e.policies?.spf === false && e.policies.dmarc === false],
  [-8, (e) => e.route?.kind === "mail_hosts" && e.route.implicit],
  [-10, (e) => e.suggestion?.lookAlike === true],
  [-3, (e) => e.role !== undefined],
];

export function verdictScore(evidence: Evidence, verdict: Verdict): number {
  const band = SCORE_BANDS[verdict.subStatus];
  const [lowest, start, highest] = band;
  let score = start;
  for (const [points, applies] of ADJUSTMENTS) if (applies(evidence)) score += points;
  if (isUnproven(verdict)) {
    const outcome = knownOutcome(evidence);
    if (outcome === "bounced") return lowest;
    if (outcome === "delivered") return highest;
    score += nameAdjustment(verdict, band);
  }
  return Math.round(Math.min(highest, Math.max(lowest, score)));
}

/** Where SMTP is inconclusive, the plausibility of the local part moves the score across the whole band. */
function nameAdjustment({ plausibility }: Verdict, [lowest, start, highest]: Band): number {
  if (!plausibility) return 0;
  const direction = 2 * plausibility.score - 1;
  return direction * (direction < 0 ? start - lowest : highest - start);
}
