/** Numbers as the reader writes them, with what they count: "1 credit", "12,345 rows". */
const GROUPED = new Intl.NumberFormat();

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${GROUPED.format(count)} ${count === 1 ? one : many}`;
}

export function formatNumber(count: number): string {
  return GROUPED.format(count);
}

/** "1.2M", where there is little room. */
export function formatCompact(count: number): string {
  return new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 }).format(count);
}

export function formatPercent(share: number, digits = 0): string {
  return new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: digits }).format(share);
}
