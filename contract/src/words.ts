/** Enumerations without the schemas that use them, for programs that must start quickly. */
export * from "./verdict.ts";

/** queued → processing → completed | failed | cancelled; processing ⇄ paused. */
export const JOB_STATUSES = ["queued", "processing", "paused", "completed", "failed", "cancelled"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Depth of a check: syntax only, with DNS, or with the mail server. */
export const LEVELS = ["syntax", "dns", "smtp"] as const;
export type Level = (typeof LEVELS)[number];

export const DOWNLOAD_FORMATS = ["csv", "ndjson", "xlsx"] as const;

/** What happened to a message. */
export const OUTCOMES = ["delivered", "bounced", "complained"] as const;
export type Outcome = (typeof OUTCOMES)[number];
