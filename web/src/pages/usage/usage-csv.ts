/** Usage as a file for a spreadsheet, made in the page. */
import type { UsageDay } from "@mailvet/contract";

const COLUMNS = ["date", "key", "valid", "invalid", "risky", "unknown", "credits_used"] as const;

export function usageCsv(days: readonly UsageDay[], keyName: (keyId: string | null) => string): string {
  const rows = days.map((day) => [
    day.date,
    cell(keyName(day.key_id)),
    ...[day.valid, day.invalid, day.risky, day.unknown, day.credits_used],
  ]);
  return [COLUMNS, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Quoted where it must be. A spreadsheet would run what begins like a formula, so that gets an apostrophe first. */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Right after the click some browsers have not begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
