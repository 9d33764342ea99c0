/** Human-readable jobs: preview of an upload, list line, card, progress and final summary. */
import type { Job, JobStatus, UploadPreview } from "@mailvet/contract";
import { summaryOf } from "./card.ts";
import { formatDuration } from "./duration.ts";
import type { ProgressState } from "./progress-state.ts";
import { type Colour, type Paint, printable } from "./terminal.ts";

const STYLES: Record<JobStatus, Colour> = {
  queued: "gray",
  processing: "yellow",
  paused: "yellow",
  completed: "green",
  failed: "red",
  cancelled: "gray",
};

const STATUS_WIDTH = Math.max(...Object.keys(STYLES).map((status) => status.length));
const MAX_COLUMNS_SHOWN = 12;

/** Rows and columns of a file, its email column, and the cost. */
export function previewOf(
  preview: UploadPreview,
  column: string,
  credits: number | undefined,
  paint: Paint,
): string {
  const { columns, email_count_by_column: emails, unique_count_by_column: unique } = preview;
  const shown = columns.slice(0, MAX_COLUMNS_SHOWN);
  if (!shown.includes(column)) shown.push(column);
  const width = Math.max(...shown.map((name) => shortened(name).length));
  const lines = shown.map((name) => {
    const found = emails[name] ? counted(emails[name], "email") : "";
    const mark = name === column ? paint("bold", "← email column") : "";
    return `  ${shortened(name).padEnd(width)}  ${found}  ${mark}`.trimEnd();
  });
  if (shown.length < columns.length) lines.push(`  … and ${columns.length - shown.length} more columns`);
  const rows = `${printable(preview.filename)}: ${counted(preview.total_rows, "row")}, ${counted(columns.length, "column")}`;
  const cost = unique[column];
  const balance = credits === undefined ? "" : ` of ${count(credits)}`;
  if (cost !== undefined)
    lines.push(
      `${counted(cost, "unique email")} ${cost === 1 ? "costs" : "cost"} ${counted(cost, "credit")}${balance}`,
    );
  return [rows, ...lines].join("\n");
}

export function jobLine(job: Job, paint: Paint): string {
  const status = paint(STYLES[job.status], job.status.padEnd(STATUS_WIDTH));
  const percent = `${Math.floor(job.progress_percent)} %`.padStart(5);
  const emails = counted(job.unique_emails, "email");
  return `${job.id}  ${status} ${percent}  ${job.created_at.slice(0, 16).replace("T", " ")}  ${printable(job.filename)}  ${emails}`;
}

export function jobCard(job: Job, paint: Paint): string {
  const rows: [string, string | undefined][] = [
    ["status", statusText(job)],
    ["file", `${job.filename}, column "${job.email_column}"`],
    [
      "emails",
      `${count(job.unique_emails)} unique in ${counted(job.total_rows, "row")}, ${counted(job.duplicate_count, "duplicate")}`,
    ],
    ["checked", `${count(job.processed)} (${job.progress_percent} %)${rateText(job)}`],
    [
      "verdicts",
      `${count(job.valid_count)} valid, ${count(job.invalid_count)} invalid, ${count(job.risky_count)} risky, ${count(job.unknown_count)} unknown`,
    ],
    ["credits", `${count(job.credits_used)} used, ${count(job.credits_reserved)} reserved`],
    ["error", job.error ? `${job.error.detail} (${job.error.code})` : undefined],
    ["expires", job.expires_at ?? undefined],
  ];
  const lines = rows
    .filter(([, value]) => value)
    .map(([name, value]) => `  ${paint("dim", name.padEnd(10))} ${printable(value!)}`);
  return [paint("bold", job.id), ...lines].join("\n");
}

/** For the progress display. */
export function progressStateOf(job: Job): ProgressState {
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
  queued: "waiting for a worker",
  paused: "paused",
  retrying: "retrying greylisted addresses",
  finishing: "finishing with the verdicts so far",
  waiting_for_provider: "waiting for a mail provider that refuses this installation",
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

function statusText(job: Job): string {
  const note = NOTES[job.status === "processing" ? job.phase : job.status];
  return note && note !== job.status ? `${job.status}: ${note}` : job.status;
}

function rateText({ status, rate_per_second: rate, eta_seconds: eta }: Job): string {
  if (status !== "processing" || rate === 0) return "";
  return `, ${rate}/s${eta === null ? "" : `, ${formatDuration(eta)} left`}`;
}

const shortened = (name: string) => printable(name).slice(0, 40);
const count = (number: number) => number.toLocaleString("en");
const counted = (number: number, what: string) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;
