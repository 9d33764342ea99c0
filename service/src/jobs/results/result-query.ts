/**
 * The SQL that finds rows of a job: those with a verdict, their duplicates, and those without a verdict yet, by filter and
 * order.
 *
 * A verdict is stored once, at the first row with the email, and duplicate rows refer to it. An email without a verdict is in
 * a slice. A filter reads all rows of its job; why there is no index for it: docs/decisions/0022-result-filters.md.
 */
import { domainToASCII, domainToUnicode } from "node:url";
import type { ResultFilter, ResultSort } from "@mailvet/contract";
import type { JobRow } from "../job-record.ts";
import { hasEnded } from "../job-state.ts";
import { inPartition, partitionOf, type StoredJob } from "../result-rows.ts";

export type ResultSelection = ResultFilter & { sort?: ResultSort | undefined };

/** Statement parameters: the job and its partition are the first two. */
export type Parameters = { values: unknown[]; add(value: unknown): string };

export function parametersFor(job: StoredJob): Parameters {
  const values: unknown[] = [job.id, partitionOf(job)];
  return { values, add: (value) => `$${values.push(value)}` };
}

export const OF_RESULTS = `${inPartition("$2")} and job_id = $1`;

/** Whether rows that wait for their verdict are among those that the filter selects. */
export function selectsPending(job: JobRow, filter: ResultFilter): boolean {
  if (hasEnded(job)) return false;
  const { status, sub_status, safe_to_send, min_score, max_score, provider } = filter;
  const isAboutVerdict = [sub_status, safe_to_send, min_score, max_score, provider].some(
    (wanted) => wanted !== undefined,
  );
  return !isAboutVerdict && (status === undefined || status.split(",").includes("pending"));
}

export function isFiltered({ sort: _, ...filter }: ResultSelection): boolean {
  return Object.values(filter).some((wanted) => wanted !== undefined);
}

/** Conditions of the filter on a row of results. */
function verdictConditions(filter: ResultFilter, { add }: Parameters): string {
  const { status, sub_status, safe_to_send, min_score, max_score, provider } = filter;
  if (hasNul(provider)) return " and false";
  const conditions = [
    status !== undefined && `status = any(${add(status.split(","))}::text[])`,
    sub_status !== undefined && `sub_status = any(${add(sub_status.split(","))}::text[])`,
    safe_to_send !== undefined && `safe_to_send = ${add(safe_to_send)}`,
    min_score !== undefined && `score >= ${add(min_score)}`,
    max_score !== undefined && `score <= ${add(max_score)}`,
    provider !== undefined && `provider = ${add(provider)}`,
  ];
  return conditions.flatMap((condition) => (condition ? ` and ${condition}` : [])).join("");
}

/** Conditions on the email, which rows without a verdict have as well. */
function textConditions({ domain, q }: ResultFilter, { add }: Parameters): string {
  if (hasNul(domain) || hasNul(q)) return " and false";
  const domains = domain && [...new Set([domain, domainToASCII(domain), domainToUnicode(domain)])];
  const conditions = [
    domains && `lower(email) like any(${add(domains.map((one) => `%@${escaped(one)}`))}::text[])`,
    q !== undefined && `lower(email) like ${add(`%${escaped(q)}%`)}`,
  ];
  return conditions.flatMap((condition) => (condition ? ` and ${condition}` : [])).join("");
}

/** PostgreSQL refuses U+0000 in a parameter, and stores no text with it. */
const hasNul = (text: string | undefined) => text?.includes("\0") ?? false;

const escaped = (text: string) => text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&");

/** Condition on a result: of this job, and selected by the filter. */
export function isResult(filter: ResultFilter, parameters: Parameters): string {
  return OF_RESULTS + verdictConditions(filter, parameters) + textConditions(filter, parameters);
}

/** Sort keys of a row with a verdict, and of one without, which comes last. */
const KEYS: Readonly<Record<string, readonly [key: string, pending: string]>> = {
  row: ["0", "0"],
  email: ['lower(email) collate "C"', 'lower(email) collate "C"'],
  domain: [`lower(split_part(email, '@', -1)) collate "C"`, `lower(split_part(email, '@', -1)) collate "C"`],
  score: ["score::int", "1000"],
  "-score": ["-score::int", "1000"],
  checked_at: ["extract(epoch from checked_at)::float8", "1e18"],
  "-checked_at": ["-extract(epoch from checked_at)::float8", "1e18"],
};

/** Whether a row changes its place when it gets its verdict. */
export function isSortedByVerdict(sort: ResultSort = "row"): boolean {
  return ["score", "checked_at"].includes(sort.replace(/^-/, ""));
}

/** How a page is ordered: by `key` in this direction, then by row. */
function orderOf(sort: ResultSort = "row") {
  const name = sort.replace(/^-/, "");
  const isDescending = sort !== name;
  const isInverted = isDescending && KEYS[sort] !== undefined; // the key itself is descending
  const [key, pending] = KEYS[isInverted ? sort : name]!;
  return {
    key,
    pending,
    direction: isDescending && !isInverted ? "desc" : "asc",
    isByRow: name === "row",
  };
}

/** Of each kind of rows: which to take, in which order and number, and whether the filter selects many. */
type Bounds = { where?: string; tail?: string; areMany?: boolean };

/**
 * Subqueries with `row`, `first_row`, `email`, `is_duplicate` and `key` of the rows: one for each kind of rows.
 *
 * Verdicts of duplicate rows are looked up one by one, in subqueries that PostgreSQL does not turn into joins (`offset 0`):
 * right after a job the tables have no statistics yet, and the planner would choose a nested loop over all rows.
 */
function rowsOf(
  filter: ResultSelection,
  kinds: { settled: boolean; pending: boolean },
  parameters: Parameters,
  { where = "", tail = "", areMany = false }: Bounds,
): string[] {
  const { key, pending } = orderOf(filter.sort);
  const text = textConditions(filter, parameters);
  const parts: string[] = [];
  if (kinds.settled) {
    const conditions = verdictConditions(filter, parameters) + text;
    // The planner takes a search for one that finds almost nothing, and would sort instead of reading in order. It takes
    // `coalesce` for true in half of the rows.
    const wanted = areMany && conditions !== "" ? ` and coalesce(true${conditions}, false)` : conditions;
    parts.push(
      `select row, row as first_row, email, false as is_duplicate, ${key} as key
         from results where ${OF_RESULTS}${where}${wanted} ${tail}`,
      `select row, first_row, d.email, true as is_duplicate, first.key
         from duplicates d, lateral (
           select ${key} as key from results where ${OF_RESULTS} and row = d.first_row${wanted} offset 0
         ) first where ${OF_RESULTS}${where} ${tail}`,
    );
  }
  if (kinds.pending) {
    parts.push(
      `select row, first_row, own_email as email, is_duplicate, ${pending} as key
         from open where true${where}${text} ${tail}`,
    );
  }
  return parts;
}

const union = (parts: readonly string[]) => parts.map((part) => `(${part})`).join(" union all ");

/** Part by part: counting their union takes half as long again. */
const countOf = (parts: readonly string[]) =>
  parts.map((part) => `(select count(*) from (${part}) part)`).join(" + ");

/**
 * Emails in slices, which have no verdict yet, and their duplicates. Those of a redrive or recheck have one. A duplicate is
 * searched and sorted by the `email` of its first row, as it is when it has a verdict.
 */
const OPEN = `entries as materialized (
  select (entry->>0)::int as row, entry->>1 as email
    from slices, json_array_elements(emails) as entry
   where job_id = $1 and not is_redrive and not is_recheck
), open as materialized (
  select row, row as first_row, email, email as own_email, false as is_duplicate from entries
  union all
  select d.row, d.first_row, entries.email, d.email as own_email, true as is_duplicate
    from entries join duplicates d on d.first_row = entries.row
   where ${inPartition("$2")} and d.job_id = $1
)`;

/**
 * `with` clauses (none: an empty text), the relation with the rows of the page, the number of all, and whether the row that the
 * page begins after has a place in the order.
 */
export type PageSql = { with: string; page: string; total: string; hasPlace: string };

/** `afterRow`: 0 for the first page. */
export type PageBounds = { skip: number; limit: number; afterRow: number };

/** Up to this number of matches one scan finds both the page and the total. */
const FEW = 1000;

/**
 * One page, and the number of all rows. The total is known for rows that are not filtered. Otherwise a scan collects matches;
 * where they are more than a few it stops, and they are counted without being collected, while the page in the order of the file
 * reads no more rows than it needs.
 */
export function pageQuery(
  job: JobRow,
  selection: ResultSelection,
  { skip, limit, afterRow }: PageBounds,
  parameters: Parameters,
): PageSql {
  const { add } = parameters;
  const pending = selectsPending(job, selection);
  const { direction, isByRow } = orderOf(selection.sort);
  const after = `${add(afterRow)}::int`;
  const [take, from] = [limit, skip].map((count) => `${add(count)}::bigint`); // their sum may exceed an int
  const all = (bounds: Bounds = {}) => rowsOf(selection, { settled: true, pending }, parameters, bounds);
  const isDown = direction === "desc";
  const cut = `order by ${orderBy(selection.sort)} limit ${take} offset ${from}`;
  const afterByRow = isDown ? `row < coalesce(nullif(${after}, 0), 2147483647)` : `row > ${after}`;
  const isAfterPlace = !isByRow && afterRow > 0;
  const key = "(select key from place)";
  const isAfterKey = isAfterPlace
    ? `key ${isDown ? "<" : ">"} ${key} or (key = ${key} and row > ${after})`
    : `${after} = 0`;
  const isAfter = isByRow ? afterByRow : isAfterKey;
  const pageOf = (relation: string, condition = "true") =>
    `select * from ${relation} matched where ${condition} and (${isAfter}) ${cut}`;
  // A bound in any case, so that the planner reads the index in its order.
  const bounds = { where: ` and ${afterByRow}`, tail: `order by row ${direction} limit ${take} + ${from}` };
  const many = `(${union(all(isByRow ? { ...bounds, areMany: true } : {}))})`;
  // Without the filter: the row may have got its verdict since the page before, and not match any more.
  const isOpen = !hasEnded(job);
  const ofPlace = () =>
    rowsOf({ sort: selection.sort }, { settled: true, pending: isOpen }, parameters, {
      where: ` and row = ${after}`,
    });
  const before = [
    ...(pending || (isAfterPlace && isOpen) ? [OPEN] : []),
    ...(isAfterPlace ? [`place as materialized (${union(ofPlace())})`] : []),
  ];
  const hasPlace = isAfterPlace ? "exists (select from place)" : "true";
  const total = knownTotal(job, selection);
  if (total !== undefined)
    return { with: withOf(before), page: `(${pageOf(many)})`, total: String(total), hasPlace };
  const few = `few as materialized (select * from (${union(all())}) matched limit ${FEW + 1})`;
  const count = "(select count(*) from few)";
  return {
    with: withOf([...before, few]),
    hasPlace,
    page: `((${pageOf("few", `${count} <= ${FEW}`)}) union all (${pageOf(many, `${count} > ${FEW}`)}))`,
    total: `case when ${count} <= ${FEW} then ${count} else ${countOf(all())} end`,
  };
}

const withOf = (clauses: readonly string[]) => (clauses.length === 0 ? "" : `with ${clauses.join(", ")}`);

/** Every row with an email has a verdict, or waits for one. */
function knownTotal(job: JobRow, selection: ResultSelection): number | undefined {
  const isComplete = job.status === "completed" || (!hasEnded(job) && job.isPlanned);
  return isComplete && !isFiltered(selection) ? job.totalEmails : undefined;
}

/** Order of the columns that the page is sorted by. */
export function orderBy(sort: ResultSort | undefined, alias = ""): string {
  const { direction, isByRow } = orderOf(sort);
  return isByRow ? `${alias}row ${direction}` : `${alias}key ${direction}, ${alias}row`;
}

/** Rows with a verdict from `firstRow` up to, not including, `endRow`. */
export type RowRange = {
  firstRow: number;
  endRow: number;
  /** Only these. */
  rows?: readonly number[] | undefined;
};

export function rangeQuery(
  { sort: _, ...filter }: ResultSelection,
  { firstRow, endRow, rows }: RowRange,
  parameters: Parameters,
): string {
  const { add } = parameters;
  const only = rows ? ` and row = any(${add(rows)}::int[])` : "";
  const where = ` and row >= ${add(firstRow)} and row < ${add(endRow)}${only}`;
  return union(rowsOf(filter, { settled: true, pending: false }, parameters, { where }));
}

/** Numbers of the rows in the order of the selection; undefined: there are none. */
export function orderQuery(
  job: JobRow,
  selection: ResultSelection,
  which: "pending" | "all",
  parameters: Parameters,
): string | undefined {
  const pending = selectsPending(job, selection);
  const kinds = { settled: which === "all", pending };
  if (!kinds.settled && !pending) return undefined;
  return `with ${pending ? `${OPEN}, ` : ""}matched as (${union(rowsOf(selection, kinds, parameters, {}))})
    select coalesce(json_agg(row order by ${orderBy(selection.sort)}), '[]') as rows from matched`;
}
