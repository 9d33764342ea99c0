/** Results of a job, while it runs and afterwards: a page of them, and the whole report on one row. */
import type { JobResult, Language, ResultsQuery, ValidationResult } from "@mailvet/contract";
import type { Caller, Owner } from "../../base/caller.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Database } from "../../db/database.ts";
import { placeOf } from "../job-columns.ts";
import { findReadableJob } from "../job-list.ts";
import type { JobRow } from "../job-record.ts";
import { hasEnded } from "../job-state.ts";
import { type InspectEmail, jobResultOf, reportOfRow } from "./result-from-evidence.ts";
import { isSortedByVerdict } from "./result-query.ts";
import { readPage, readRow } from "./result-reader.ts";

export type ResultDeps = { database: Database; inspect: InspectEmail };

export type ResultPage = { results: JobResult[]; total: number; partial: PartialResults | undefined };

/** Unique emails with and without a verdict, while the job runs. */
export type PartialResults = { settled: number; pending: number };

export async function jobResults(
  { database, inspect }: ResultDeps,
  owner: Owner,
  jobId: string,
  { skip, limit, after_row: afterRow = 0, final, ...selection }: ResultsQuery,
  language: Language = "en",
): Promise<ResultPage> {
  const job = await findReadableJob(database, owner, jobId, final);
  if (afterRow > 0 && isSortedByVerdict(selection.sort) && !hasEnded(job))
    throw new Refusal(
      "results_not_ready",
      `The job is ${job.status}. In the order of ${selection.sort} rows change their place until its end, and pages would miss some. Sort by row, email or domain, or wait for the end.`,
    );
  const pool = await database.readPool();
  const { rows, total } = await readPage(pool, job, selection, { skip, limit, afterRow });
  const results = rows.map((row) => jobResultOf(inspect, row, language));
  if (job.isTest) for (const result of results) result.sandbox = true;
  if (job.moreColumns.length > 0) {
    for (const result of results) Object.assign(result, { cell: result.row, ...placeOf(job, result.row) });
  }
  return { results, total, partial: partialOf(job) };
}

/** Undefined: the results are final. */
export function partialOf(job: JobRow): PartialResults | undefined {
  if (hasEnded(job)) return undefined;
  return { settled: job.processed, pending: job.uniqueEmails - job.processed };
}

/** The report on a cell as of a single check, from what was stored. Costs nothing. */
export async function jobResult(
  { database, inspect }: ResultDeps,
  caller: Pick<Caller, "accountId" | "isTest" | "plan">,
  jobId: string,
  cell: number,
  { requestId, language }: { requestId: string; language: Language },
): Promise<ValidationResult> {
  const job = await findReadableJob(database, caller, jobId);
  const row = await readRow(await database.readPool(), job, cell);
  const name = `${job.moreColumns.length > 0 ? "Cell" : "Row"} ${cell}`;
  if (!row) throw new Refusal("not_found", `${name} of this job has no result.`);
  if (!row.verdict)
    throw new Refusal("results_not_ready", `${name} has no verdict yet: the job is ${job.status}.`);
  return presented(reportOfRow(inspect, row.email, row.verdict, language), job, caller, requestId);
}

/** A page of reports as of single checks, in row order. Refused until the job has ended. */
export async function jobReports(
  { database, inspect }: ResultDeps,
  caller: Pick<Caller, "accountId" | "isTest" | "plan">,
  jobId: string,
  page: { skip: number; limit: number },
  requestId: string,
): Promise<ValidationResult[]> {
  const job = await findReadableJob(database, caller, jobId, true);
  const { rows } = await readPage(await database.readPool(), job, {}, { ...page, afterRow: 0 });
  return rows.flatMap(({ email, verdict }) =>
    verdict ? [presented(reportOfRow(inspect, email, verdict), job, caller, requestId)] : [],
  );
}

function presented(
  report: ValidationResult,
  { isTest }: JobRow,
  { plan }: Pick<Caller, "plan">,
  requestId: string,
): ValidationResult {
  report.request_id = requestId;
  report.metadata.plan_tier = plan;
  if (isTest) report.metadata.sandbox = true;
  return report;
}
