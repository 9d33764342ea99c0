/** Usage and ledger as CSV files, created in the browser. */
import type { StatementLine, UsageDay } from "@mailvet/contract";

const COLUMNS = ["date", "key", "valid", "invalid", "risky", "unknown", "credits_used"] as const;

export function usageCsv(days: readonly UsageDay[], keyName: (keyId: string | null) => string): string {
  const rows = days.map((day) => [
    day.date,
    cell(keyName(day.key_id)),
    ...[day.valid, day.invalid, day.risky, day.unknown, day.credits_used],
  ]);
  return [COLUMNS, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

const LINE_COLUMNS = [
  "last_at",
  "kind",
  "reference",
  "key_id",
  "charged",
  "refunded",
  "granted",
  "reserved",
  "entries",
] as const;

export function statementCsv(lines: readonly StatementLine[]): string {
  const rows = lines.map((line) => LINE_COLUMNS.map((column) => cell(String(line[column] ?? ""))));
  return [LINE_COLUMNS, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Quoted where needed. An apostrophe keeps spreadsheets from evaluating the text as a formula. */
function cell(text: string): string {
  const escaped = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers start reading after the click handler returns.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
