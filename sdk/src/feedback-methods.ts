/** What became of messages: told to the service, which learns from it, and how well it was foreseen. */
import type { FeedbackReport, FeedbackSummary, Outcome, ReportedOutcome } from "@mailvet/contract";
import type { CallOptions, Connection } from "./connection.ts";
import { onceKey } from "./once-key.ts";
import { type UploadFile, uploadBody } from "./upload-body.ts";

export type FeedbackMethods = {
  /** One outcome, or up to 1,000 of them. It costs nothing, and telling the same again changes nothing. */
  tell(outcomes: ToldOutcome | readonly ToldOutcome[], options?: CallOptions): Promise<FeedbackSummary>;
  /** A file as a mail service exports it, sent like the lists of `jobs.upload`. */
  upload(file: UploadFile, options?: CallOptions): Promise<FeedbackSummary>;
  /** Predicted against real bounces. */
  report(options?: CallOptions): Promise<FeedbackReport>;
  /** Erases every outcome that was told, and what was learned from them. */
  forget(options?: CallOptions): Promise<void>;
};

export type ToldOutcome = {
  email: string;
  outcome: Outcome;
  /** Now unless told. */
  occurredAt?: Date | string | undefined;
};

export function feedbackMethods(ask: Connection): FeedbackMethods {
  // The service does not need the key; it says here that the request may be repeated.
  const path = "/feedback";
  const post = (
    more: { body?: object; upload?: ReturnType<typeof uploadBody>; extraMs?: number },
    options?: CallOptions,
  ) => ask<FeedbackSummary>({ method: "POST", path, idempotencyKey: onceKey(), ...more, ...options });
  return {
    async tell(outcomes, options) {
      const list = Array.isArray(outcomes) ? (outcomes as readonly ToldOutcome[]) : undefined;
      const body = list ? { outcomes: list.map(written) } : written(outcomes as ToldOutcome);
      return (await post({ body }, options)).body;
    },
    async upload(file, options) {
      const upload = uploadBody(file);
      return (await post({ upload, extraMs: upload.extraMs }, options)).body;
    },
    async report(options) {
      return (await ask<FeedbackReport>({ method: "GET", path: `${path}/report`, ...options })).body;
    },
    async forget(options) {
      await ask({ method: "DELETE", path, ...options });
    },
  };
}

function written({ email, outcome, occurredAt }: ToldOutcome): ReportedOutcome {
  if (occurredAt === undefined) return { email, outcome };
  return { email, outcome, occurred_at: occurredAt instanceof Date ? occurredAt.toISOString() : occurredAt };
}
