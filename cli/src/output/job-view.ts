/** A job for human eyes: what a file holds before it begins, a line in a list, a card, how far it is, how it ended. */
import type { Job, JobStatus, UploadPreview } from "@mailvet/contract";
import { summaryOf } from "./card.ts";
import { sayDuration } from "./duration.ts";
import type { Standing } from "./progress-state.ts";
import { type Colour, type Paint, printable } from "./terminal.ts";

const LOOKS: Record<JobStatus, Colour> = {
  queued: "gray",
  processing: "yellow",
  paused: "yellow",
  completed: "green",
  failed: "red",
  cancelled: "gray",
};

const STATUS_WIDTH = Math.max(...Object.keys(LOOKS).map((status) => status.length));
const MOST_COLUMNS = 12;

/** What was found in a file, which column is taken, and what it costs. */
export function previewOf(
  preview: UploadPreview,
  column: string,
  credits: number | undefined,
  paint: Paint,
): string {
  const { columns, email_count_by_column: emails, unique_count_by_column: unique } = preview;
  const shown = columns.slice(0, MOST_COLUMNS);
  if (!shown.includes(column)) shown.push(column);
  const width = Math.max(...shown.map((name) => shortened(name).length));
  const lines = shown.map((name) => {
    const found = emails[name] ? counted(emails[name], "email") : "";
    const taken = name === column ? paint("bold", "← is checked") : "";
    return `  ${shortened(name).padEnd(width)}  ${found}  ${taken}`.trimEnd();
  });
  if (shown.length < columns.length) lines.push(`  … and ${columns.length - shown.length} more columns`);
  const rows = `${printable(preview.filename)}: ${counted(preview.total_rows, "row")}, ${counted(columns.length, "column")}`;
  const cost = unique[column];
  const balance = credits === undefined ? "" : `, of ${count(credits)}`;
  if (cost !== undefined)
    lines.push(
      `${counted(cost, "different email")} ${cost === 1 ? "costs" : "cost"} ${counted(cost, "credit")}${balance}`,
    );
  return [rows, ...lines].join("\n");
}

export function jobLine(job: Job, paint: Paint): string {
  const status = paint(LOOKS[job.status], job.status.padEnd(STATUS_WIDTH));
  const percent = `${Math.floor(job.progress_percent)} %`.padStart(5);
  const emails = counted(job.unique_emails, "email");
  return `${job.id}  ${status} ${percent}  ${job.created_at.slice(0, 16).replace("T", " ")}  ${printable(job.filename)}  ${emails}`;
}

export function jobCard(job: Job, paint: Paint): string {
  const rows: [string, string | undefined][] = [
    ["status", sayStatus(job)],
    ["file", `${job.filename}, column "${job.email_column}"`],
    [
      "emails",
      `${count(job.unique_emails)} different in ${counted(job.total_rows, "row")}, ${count(job.duplicate_count)} repeated`,
    ],
    ["checked", `${count(job.processed)} (${job.progress_percent} %)${sayPace(job)}`],
    [
      "verdicts",
      `${count(job.valid_count)} valid, ${count(job.invalid_count)} invalid, ${count(job.risky_count)} risky, ${count(job.unknown_count)} unknown`,
    ],
    ["credits", `${count(job.credits_used)} used, ${count(job.credits_reserved)} held`],
    ["error", job.error ? `${job.error.detail} (${job.error.code})` : undefined],
    ["kept until", job.expires_at ?? undefined],
  ];
  const lines = rows
    .filter(([, value]) => value)
    .map(([name, value]) => `  ${paint("dim", name.padEnd(10))} ${printable(value!)}`);
  return [paint("bold", job.id), ...lines].join("\n");
}

/** Where a job stands, for the meter. */
export function standingOf(job: Job): Standing {
  const note = NOTES[job.status === "processing" ? job.phase : job.status];
  return {
    done: job.processed,
    total: job.unique_emails,
    ratePerSecond: job.status === "processing" ? job.rate_per_second : 0,
    secondsLeft: job.eta_seconds ?? undefined,
    ...(note ? { note } : {}),
  };
}

const NOTES: Readonly<Record<string, string>> = {
  queued: "waits for its turn",
  paused: "paused",
  retrying: "the rest was asked to come back later",
};

export function jobSummary(job: Job): string {
  const counts = {
    valid: job.valid_count,
    invalid: job.invalid_count,
    risky: job.risky_count,
    unknown: job.unknown_count,
  };
  return summaryOf(counts, secondsOf(job));
}

function secondsOf({ started_at, completed_at }: Job): number {
  return started_at && completed_at ? (Date.parse(completed_at) - Date.parse(started_at)) / 1000 : 0;
}

function sayStatus(job: Job): string {
  const note = NOTES[job.status === "processing" ? job.phase : job.status];
  return note && note !== job.status ? `${job.status}: ${note}` : job.status;
}

function sayPace({ status, rate_per_second: rate, eta_seconds: eta }: Job): string {
  if (status !== "processing" || rate === 0) return "";
  return `, ${rate}/s${eta === null ? "" : `, ${sayDuration(eta)} left`}`;
}

const shortened = (name: string) => printable(name).slice(0, 40);
const count = (number: number) => number.toLocaleString("en");
const counted = (number: number, what: string) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;
