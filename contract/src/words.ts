/** The closed sets of words, without the schemas that use them: for programs that want to start quickly. */
export * from "./verdict.ts";

/** queued → processing → completed | failed | cancelled; processing ⇄ paused. */
export const JOB_STATUSES = ["queued", "processing", "paused", "completed", "failed", "cancelled"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** How far a check goes: read the text, ask the name servers, or ask the mail server too. */
export const LEVELS = ["syntax", "dns", "smtp"] as const;
export type Level = (typeof LEVELS)[number];

export const DOWNLOAD_FORMATS = ["csv", "ndjson", "xlsx"] as const;

/** What became of a message. */
export const OUTCOMES = ["delivered", "bounced", "complained"] as const;
export type DeliveryOutcome = (typeof OUTCOMES)[number];
