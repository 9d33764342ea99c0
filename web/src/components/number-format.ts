/** Numbers and lists in the reader's locale. */
import { locale } from "../language.ts";

const NUMBER = new Intl.NumberFormat(locale);
const PLURAL = new Intl.PluralRules(locale);
const LIST = new Intl.ListFormat(locale);

/** "1 credit", "12,345 rows" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(count)} ${PLURAL.select(count) === "one" ? one : many}`;
}

export function formatNumber(count: number): string {
  return NUMBER.format(count);
}

/** "1.2M" */
export function formatCompact(count: number): string {
  const text = new Intl.NumberFormat(locale, {
    notation: "compact",
    maximumFractionDigits: 1,
    useGrouping: true, // German has no short form of thousands: "1.500", like other numbers of the page
  }).format(count);
  return text.replace(/m$/, "M"); // British English has "1m", which reads as a minute
}

export function formatPercent(share: number, digits = 0): string {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: digits }).format(share);
}

/** "+12%", "−3%" */
export function formatChange(share: number): string {
  return new Intl.NumberFormat(locale, {
    style: "percent",
    maximumFractionDigits: 0,
    signDisplay: "exceptZero",
  }).format(share);
}

/** "1.4" */
export function formatDecimal(value: number, digits = 1): string {
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** "Gmail, Outlook and Yahoo" */
export function formatList(items: readonly string[]): string {
  return LIST.format(items);
}

/** Between a name from a file and a number: after an Arabic or Hebrew name the number would be shown before it. */
export const LEFT_TO_RIGHT = "\u200e";
