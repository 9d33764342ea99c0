/** Human-readable results: a card for a single address, a line per address for several, and a summary. */
import type { BulkItem, ValidationResult } from "@mailvet/contract";
import { type Recommendation, STATUSES, type Status, SUB_STATUSES } from "@mailvet/contract/words";
import { type Colour, type Paint, printable } from "./terminal.ts";

const STYLES: Record<Status, { sign: string; colour: Colour }> = {
  valid: { sign: "✔", colour: "green" },
  invalid: { sign: "✘", colour: "red" },
  risky: { sign: "!", colour: "yellow" },
  unknown: { sign: "?", colour: "gray" },
};

export function cardOf(result: ValidationResult, paint: Paint): string {
  const { details } = result;
  const rows: [string, string | undefined][] = [
    ["reason", result.reason],
    ["did you mean", result.suggestion ?? undefined],
    ["advice", result.sub_status === "smtp_skipped" ? UNASKED : ADVICE[result.recommendation]],
    ["score", `${result.score}/100${confidenceOf(result)}`],
    ["domain", details.domain],
    ["provider", details.provider],
    ["mail server", details.mx_host],
    [
      "server reply",
      [details.smtp_code || "", details.smtp_enhanced_code, details.smtp_message].join(" ").trim(),
    ],
    ["mailbox name", nameScoreOf(result)],
    ["try again", retryTime(result.metadata.retry_after ?? undefined)],
    ["policies", details.dns_valid ? policiesOf(details) : undefined],
    ["canonical", details.canonical_email === details.normalized_email ? "" : details.canonical_email],
    ["flags", result.flags.join(", ")],
  ];
  const lines = rows
    .filter(([, value]) => value)
    .map(([name, value]) => `  ${paint("dim", name.padEnd(13))} ${printable(value!)}`);
  return [headline(result, paint), ...lines, ""].join("\n");
}

/** The fields of a line, which bulk results have too. */
type LineResult = Pick<BulkItem, "email" | "status" | "sub_status" | "suggestion">;

export function lineOf(result: LineResult, paint: Paint): string {
  const hint = result.suggestion ? paint("dim", `  → ${printable(result.suggestion)}`) : "";
  return `${headline(result, paint)}${hint}`;
}

export function summaryOf(counts: Record<Status, number>, seconds: number): string {
  const total = STATUSES.reduce((sum, status) => sum + counts[status], 0);
  const parts = STATUSES.map((status) => `${counts[status].toLocaleString("en")} ${status}`);
  return `${total.toLocaleString("en")} checked in ${seconds.toFixed(1)} s: ${parts.join(", ")}`;
}

function headline(result: LineResult, paint: Paint): string {
  const { sign, colour } = STYLES[result.status];
  const verdict = verdictOf(result.status, result.sub_status).padEnd(VERDICT_WIDTH);
  return `${paint(colour, `${sign} ${verdict}`)} ${paint("bold", printable(result.email.trim()))}`;
}

function verdictOf(status: Status, subStatus: string): string {
  return subStatus ? `${status}/${subStatus}` : status;
}

const VERDICT_WIDTH = Math.max(
  ...STATUSES.flatMap((status) => SUB_STATUSES[status].map((sub) => verdictOf(status, sub).length)),
);

const ADVICE: Record<Recommendation, string> = {
  send: "safe to send",
  caution: "send with caution",
  do_not_send: "do not send",
  retry: "undecided, check again later",
};

/** A lower level was asked for: later it has the same result. */
const UNASKED = "undecided, check it at level smtp";

/** Of a verdict; where nothing was decided it says nothing. */
function confidenceOf({ status, confidence }: ValidationResult): string {
  return status === "unknown" ? "" : `   confidence ${Math.round(confidence * 100)} %`;
}

/** Plausibility of the mailbox name, with reasons. */
function nameScoreOf({ ai_enhancement: { score, reasons } }: ValidationResult): string | undefined {
  if (score === null) return undefined;
  return [`${Math.round(score * 100)} % plausible`, reasons.join("; ")]
    .filter((part) => part !== "")
    .join(": ");
}

/** Rounded up to seconds, minutes or hours. */
function retryTime(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  if (seconds < 60) return `in ${seconds} s`;
  if (seconds <= 90 * 60) return `in ${Math.ceil(seconds / 60)} min`;
  return `in ${Math.ceil(seconds / 3600)} h`;
}

function policiesOf(details: ValidationResult["details"]): string {
  const has = (present: boolean, name: string) => (present ? name : `no ${name}`);
  return [
    has(details.has_spf, "SPF"),
    has(details.has_dmarc, "DMARC"),
    has(details.has_mta_sts, "MTA-STS"),
  ].join(", ");
}
