/** The enumerations of the API without their schemas, for programs that need to start quickly. */
export * from "./verdict.ts";

/** queued → processing → completed | failed | cancelled; processing ⇄ paused. */
export const JOB_STATUSES = ["queued", "processing", "paused", "completed", "failed", "cancelled"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Depth of a check: syntax only, also DNS, or also SMTP. */
export const LEVELS = ["syntax", "dns", "smtp"] as const;
export type Level = (typeof LEVELS)[number];

export const DOWNLOAD_FORMATS = ["csv", "ndjson", "xlsx"] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

/** Delivery outcome of a message. */
export const OUTCOMES = ["delivered", "bounced", "complained"] as const;
export type DeliveryOutcome = (typeof OUTCOMES)[number];
