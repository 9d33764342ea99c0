/**
 * Estimate of an unconfirmed upload: a random sample of its emails, checked up to DNS, tells how many verdicts no mail server
 * is needed for. Free of charge, and bounded in time: what is not known by then counts as undecided.
 */
import type { Status, UploadEstimate } from "@mailvet/contract";
import { emailIn } from "@mailvet/engine/list-file";
import { and, eq } from "drizzle-orm";
import type { Caller } from "../base/caller.ts";
import { startTimeSlice } from "../base/event-loop-yield.ts";
import type { Database } from "../db/database.ts";
import type { Answers, ValidationAnswer } from "../validations/answer.ts";
import { checkContextOf } from "../validations/check-options.ts";
import { columnKey } from "./column-email-counts.ts";
import { columnsOf, type NamedColumns } from "./email-column.ts";
import { uploadColumnIndexes } from "./schema.ts";
import { findConfirmableUpload } from "./stored-upload.ts";
import type { UploadFiles } from "./upload-files.ts";
import type { UploadRow } from "./upload-preview.ts";

/** Throws upload_not_found, upload_expired and email_column_not_found. */
export type EstimateUpload = (
  caller: Caller,
  choice: NamedColumns & { uploadId: string },
) => Promise<UploadEstimate>;

export type EstimateDeps = {
  database: Pick<Database, "pool" | "orm">;
  files: Pick<UploadFiles, "read">;
  answers: Pick<Answers, "inspect" | "knownAmong" | "ask">;
};

const SAMPLE_EMAILS = 200;
/** For reading the file; of a larger one the sample is of its beginning. */
const READING_MS = 3_000;
const CHECKING_MS = 7_000;
const ROWS_PER_CLOCK_CHECK = 64;

export function createEstimateUpload({ database, files, answers }: EstimateDeps): EstimateUpload {
  return async (caller, { uploadId, ...named }) => {
    const upload = await findConfirmableUpload(database.orm, caller, uploadId);
    const columns = columnsOf(upload, named);
    const [counted] = await database.orm
      .select({ unique: uploadColumnIndexes.uniqueEmails })
      .from(uploadColumnIndexes)
      .where(
        and(eq(uploadColumnIndexes.uploadId, uploadId), eq(uploadColumnIndexes.column, columnKey(columns))),
      );
    const sample = await sampleOf(database.pool, files, upload, columns);
    const counts = { valid: 0, invalid: 0, risky: 0, undecided: 0 };
    for (const { verdict } of await check(caller, sample)) counts[countedAs(verdict.status)] += 1;
    const unique = counted?.unique;
    return {
      upload_id: uploadId,
      email_column: named.emailColumn,
      sampled: sample.length,
      ...counts,
      expected: unique === undefined ? null : scaled(counts, sample.length, unique),
      credits: unique ?? null,
    };
  };

  async function check(caller: Caller, emails: readonly string[]): Promise<ValidationAnswer[]> {
    const inspections = emails.map(answers.inspect);
    // What is cached was checked up to SMTP, and is a better estimate.
    const known = await answers.knownAmong(checkContextOf(caller), inspections);
    const open = inspections.filter((_, index) => known[index] === undefined);
    const context = checkContextOf(caller, { level: "dns" });
    const asked = await answers.ask(context, open, { withinMs: CHECKING_MS, isUrgent: false });
    return [...known.filter((answer) => answer !== undefined), ...asked];
  }
}

function countedAs(status: Status): "valid" | "invalid" | "risky" | "undecided" {
  return status === "unknown" ? "undecided" : status;
}

/** Emails of random rows, each once. */
async function sampleOf(
  pool: Database["pool"],
  files: Pick<UploadFiles, "read">,
  upload: UploadRow,
  columns: readonly number[],
): Promise<string[]> {
  const endsAtMs = performance.now() + READING_MS;
  const timeSlice = startTimeSlice();
  const sample: string[] = [];
  let seen = 0;
  for await (const { rows } of files.read(pool, upload)) {
    for (const [index, cells] of rows.entries()) {
      if (index % ROWS_PER_CLOCK_CHECK === 0 && timeSlice.isOver) await timeSlice.next();
      for (const column of columns) {
        const email = emailIn(cells[column]);
        if (email === "") continue;
        // Reservoir sampling: every cell so far is in the sample with the same probability.
        const position = seen < SAMPLE_EMAILS ? seen : Math.floor(Math.random() * (seen + 1));
        if (position < SAMPLE_EMAILS) sample[position] = email;
        seen += 1;
      }
    }
    if (performance.now() > endsAtMs) break;
  }
  return [...new Map(sample.map((email) => [email.toLowerCase(), email])).values()];
}

function scaled<Counts extends Record<string, number>>(counts: Counts, from: number, to: number): Counts {
  const share = from === 0 ? 0 : to / from;
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, Math.round(count * share)]),
  ) as Counts;
}
