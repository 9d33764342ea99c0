/** Queries for usage and the ledger. */
import type { StatementKind, StatementLine } from "@mailvet/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";
import { daysBack } from "./usage-days.ts";

/** The last `days` days, and as many before them: see halvesOf. */
export const usageQuery = (days: number) =>
  queryOptions({
    queryKey: ["usage", days],
    queryFn: () => service.usage({ from: daysBack(new Date(), 2 * days - 1) }),
    placeholderData: keepPreviousData,
  });

export const LEDGER_PAGE_SIZE = 20;

export const statementQuery = (page: number, kind: StatementKind | undefined) =>
  queryOptions({
    queryKey: ["credits", "statement", page, kind ?? "all"],
    queryFn: () =>
      service.statement({
        from: daysBack(new Date(), STATEMENT_DAYS - 1),
        skip: (page - 1) * LEDGER_PAGE_SIZE,
        limit: LEDGER_PAGE_SIZE,
        kind,
      }),
    placeholderData: keepPreviousData,
  });

/** Maximum of the API. */
const STATEMENT_DAYS = 366;
const MAX_ENTRIES = 100;

/** The latest entries behind a line. */
export const entriesQuery = ({ kind, reference, date, key_id }: StatementLine) =>
  queryOptions({
    queryKey: ["credits", "entries", kind, reference, date, key_id],
    queryFn: () =>
      service.credits({
        limit: MAX_ENTRIES,
        // A note may be that of several grants.
        ...(kind === "job" ? {} : { date }),
        ...(kind === "checks" ? { checksOf: key_id ?? "web_app" } : { reference: reference ?? undefined }),
      }),
  });

/** The whole statement, page by page. */
export async function allLines(kind: StatementKind | undefined): Promise<StatementLine[]> {
  const from = daysBack(new Date(), STATEMENT_DAYS - 1);
  const lines: StatementLine[] = [];
  for (;;) {
    const page = await service.statement({ from, kind, skip: lines.length, limit: MAX_ENTRIES });
    lines.push(...page.lines);
    if (page.lines.length < MAX_ENTRIES) return lines;
  }
}

const MAX_JOBS = 100;

/** File names of the latest jobs by id, for the ledger. */
export const jobNamesQuery = queryOptions({
  queryKey: ["jobs", "names"],
  async queryFn() {
    const { items } = await service.jobs.list({ limit: MAX_JOBS });
    return new Map(items.map(({ id, filename }) => [id, filename]));
  },
});
