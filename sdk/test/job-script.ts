/** Handlers for a scripted service that plays a job, and job records as the service returns them. */
import type { Job, JobResult, UploadPreview } from "@mailvet/contract";
import type { Handler, ReceivedRequest } from "./scripted-service.ts";
import { problem } from "./scripted-service.ts";

export const JOB_ID = "0f8b7c1e-0000-4000-8000-00000000000a";
export const JOB_PATH = `/bulk/jobs/${JOB_ID}`;

export function jobOf(changes: Partial<Job> = {}): Job {
  return {
    id: JOB_ID,
    status: "processing",
    phase: "validating",
    filename: "people.csv",
    email_column: "email",
    attempt: 1,
    created_at: "2026-01-01T00:00:00.000Z",
    started_at: "2026-01-01T00:00:01.000Z",
    completed_at: null,
    expires_at: null,
    total_rows: 4,
    total_emails: 4,
    unique_emails: 3,
    duplicate_count: 1,
    processed: 0,
    progress_percent: 0,
    rate_per_second: 0,
    eta_seconds: null,
    eta_reason: "no_verdict_yet",
    next_attempt_at: null,
    retrying: {},
    valid_count: 0,
    invalid_count: 0,
    risky_count: 0,
    unknown_count: 0,
    sub_status_counts: {},
    credits_reserved: 3,
    credits_used: 0,
    credits_refunded: 0,
    error: null,
    results_url: null,
    ...changes,
  };
}

export const COMPLETED = jobOf({
  status: "completed",
  phase: "done",
  completed_at: "2026-01-01T00:00:09.500Z",
  processed: 3,
  progress_percent: 100,
  valid_count: 2,
  invalid_count: 1,
  credits_reserved: 0,
  credits_used: 3,
});

export const PREVIEW: UploadPreview = {
  upload_id: "0f8b7c1e-0000-4000-8000-00000000000b",
  filename: "people.csv",
  columns: ["name", "email"],
  suggested_email_column: "email",
  total_rows: 4,
  sample_rows: [["Ann", "ann@shop.io"]],
  email_count_by_column: { name: 0, email: 4 },
  unique_count_by_column: { email: 3 },
  has_header: true,
  expires_at: "2026-01-02T00:00:00.000Z",
};

export function resultOf(row: number): JobResult {
  return {
    row,
    email: `ann${row}@shop.io`,
    status: "valid",
    sub_status: "",
    confidence: 0.95,
    is_valid: true,
    safe_to_send: true,
    recommendation: "send",
    score: 95,
    suggestion: null,
    reason: "The mail server accepts this mailbox.",
    flags: [],
    provider: "other",
    mx_host: "mx.shop.io",
    smtp_code: 250,
    ai_reasons: [],
    checked_at: "2026-01-01T00:00:02.000Z",
    is_duplicate: false,
    previous_status: null,
    previous_sub_status: null,
  };
}

/** Handlers by "METHOD /path" below /api/v1, played in order with the last one repeated; ignores the query. */
export function atPaths(handlers: Record<string, Handler | [Handler, ...Handler[]]>): Handler {
  const counts = new Map<string, number>();
  return (response, request) => {
    const endpoint = endpointOf(request);
    const script = [handlers[endpoint] ?? problem(404, "not_found")].flat();
    const count = counts.get(endpoint) ?? 0;
    counts.set(endpoint, count + 1);
    script[Math.min(count, script.length - 1)]!(response, request);
  };
}

export function endpointOf({ method, url }: ReceivedRequest): string {
  return `${method} ${url.replace(/^\/api\/v1/, "").replace(/\?.*$/, "")}`;
}

/** Sends events, then ends the response, breaks the connection, or stays open. */
export const eventStream =
  (text: string, ending: "end" | "disconnect" | "open" = "end"): Handler =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text, () => {
      if (ending === "end") response.end();
      if (ending === "disconnect") response.destroy();
    });
  };

export const progressEvent = (job: Job): string => `event: progress\ndata: ${JSON.stringify(job)}\n\n`;
export const endEvent = (job: Job): string => `event: end\ndata: ${JSON.stringify(job)}\n\n`;

export const bytes =
  (text: string, contentType = "text/csv; charset=utf-8"): Handler =>
  (response) => {
    response.writeHead(200, { "content-type": contentType });
    response.end(text);
  };
