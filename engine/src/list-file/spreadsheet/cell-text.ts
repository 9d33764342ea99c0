/** Numbers and dates of a workbook as text: what a person would have typed into a CSV file. */

/** How a cell with a number is displayed. */
export type NumberFormat =
  | { kind: "general" }
  | { kind: "date" }
  | { kind: "duration" }
  | { kind: "padded"; digits: number };

export const GENERAL: NumberFormat = { kind: "general" };

/** Built-in formats of dates and times (ECMA-376 part 1, 18.8.30), also those of East Asian locales. */
const BUILT_IN_DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 45],
  [47, 47],
  [50, 58],
];
const BUILT_IN_DURATION = 46;
const LITERALS = /"[^"]*"|\\.|_.|\*./g;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const IN_BRACKETS = /\[[^\]]*\]/g;

/** `code` is that of a custom format. */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) {
    if (id === BUILT_IN_DURATION) return { kind: "duration" };
    return BUILT_IN_DATES.some(([from, to]) => id >= from && id <= to) ? { kind: "date" } : GENERAL;
  }
  if (/^0{2,20}$/.test(code)) return { kind: "padded", digits: code.length };
  const bare = code.replace(LITERALS, "");
  if (ELAPSED.test(bare)) return { kind: "duration" };
  const isDate = /[dmyhs]/i.test(bare.replace(IN_BRACKETS, "").replace(/general/gi, ""));
  return isDate ? { kind: "date" } : GENERAL;
}

/** `text` is the stored number. What is no number is returned as it is. */
export function numberText(text: string, format: NumberFormat, is1904: boolean): string {
  const trimmed = text.trim();
  const value = Number(trimmed);
  if (trimmed === "" || !Number.isFinite(value)) return text;
  switch (format.kind) {
    case "date":
      return dateText(value, is1904) ?? generalText(value);
    case "duration":
      return durationText(value);
    case "padded":
      return Number.isInteger(value) && value >= 0
        ? String(value).padStart(format.digits, "0")
        : generalText(value);
    case "general":
      return generalText(value);
  }
}

/** Spreadsheets store 17 digits and display 15: 0.1 + 0.2 is 0.3. */
const SHOWN_DIGITS = 15;

function generalText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(SHOWN_DIGITS)));
}

const DAY_SECONDS = 86_400;
const DAYS_TO_1904 = 1462;
const DAYS_TO_1970 = 25_569;
/** The date system of 1900 counts a 29th of February that did not exist. */
const FALSE_LEAP_DAY = 60;
/** 9999-12-31. */
const MAX_DAY = 2_958_465;

/** ISO 8601, the time only if there is one. Undefined if it is out of range. */
function dateText(value: number, is1904: boolean): string | undefined {
  const days = is1904 ? value + DAYS_TO_1904 : value;
  if (days < 0 || days >= MAX_DAY + 1) return undefined;
  const sinceEpoch = (days < FALSE_LEAP_DAY ? days + 1 : days) - DAYS_TO_1970;
  const [date = "", time = ""] = new Date(Math.round(sinceEpoch * DAY_SECONDS) * 1000)
    .toISOString()
    .split("T");
  const clock = time.slice(0, 8);
  if (value < 1) return clock;
  return clock === "00:00:00" ? date : `${date} ${clock}`;
}

function durationText(value: number): string {
  const seconds = Math.round(Math.abs(value) * DAY_SECONDS);
  const two = (count: number) => String(count).padStart(2, "0");
  const sign = value < 0 && seconds > 0 ? "-" : "";
  return `${sign}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
