/** Lines for a scripted service that plays a job: what each path answers, and records as the service writes them. */
import type { Job, JobResult, UploadPreview } from "@mailvet/contract";
import type { Heard, Line } from "./scripted-service.ts";
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
    valid_count: 0,
    invalid_count: 0,
    risky_count: 0,
    unknown_count: 0,
    sub_status_counts: {},
    credits_reserved: 3,
    credits_used: 0,
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
    score: 95,
    suggestion: null,
    is_duplicate: false,
  };
}

/** A line for each "METHOD /path" below /api/v1, played in turn and the last one for good; the query does not count. */
export function atPaths(lines: Record<string, Line | [Line, ...Line[]]>): Line {
  const turns = new Map<string, number>();
  return (response, heard) => {
    const place = placeOf(heard);
    const script = [lines[place] ?? problem(404, "not_found")].flat();
    const turn = turns.get(place) ?? 0;
    turns.set(place, turn + 1);
    script[Math.min(turn, script.length - 1)]!(response, heard);
  };
}

export function placeOf({ method, url }: Heard): string {
  return `${method} ${url.replace(/^\/api\/v1/, "").replace(/\?.*$/, "")}`;
}

/** Events, and then the end of the connection: properly, by an accident, or never. */
export const eventStream =
  (text: string, ending: "end" | "accident" | "silence" = "end"): Line =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text, () => {
      if (ending === "end") response.end();
      if (ending === "accident") response.destroy();
    });
  };

export const progressEvent = (job: Job): string => `event: progress\ndata: ${JSON.stringify(job)}\n\n`;
export const endEvent = (job: Job): string => `event: end\ndata: ${JSON.stringify(job)}\n\n`;

export const bytes =
  (text: string, contentType = "text/csv; charset=utf-8"): Line =>
  (response) => {
    response.writeHead(200, { "content-type": contentType });
    response.end(text);
  };
