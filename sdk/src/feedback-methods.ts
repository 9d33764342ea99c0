/** Delivery feedback: reports outcomes to the service, and compares predicted with actual bounces. */
import type { DeliveryOutcome, FeedbackReport, FeedbackSummary, ReportedOutcome } from "@mailvet/contract";
import { createIdempotencyKey } from "./idempotency-key.ts";
import type { CallOptions, SendRequest } from "./transport.ts";
import { type UploadFile, uploadBody } from "./upload-body.ts";

export type FeedbackMethods = {
  /** One outcome, or up to 1,000. Free; reporting the same outcome again changes nothing. */
  submit(outcomes: OutcomeInput | readonly OutcomeInput[], options?: CallOptions): Promise<FeedbackSummary>;
  /** A file exported by a mail provider, sent like the lists of `jobs.upload`. */
  upload(file: UploadFile, options?: CallOptions): Promise<FeedbackSummary>;
  /** Predicted and actual bounces. */
  report(options?: CallOptions): Promise<FeedbackReport>;
  /** Deletes all outcomes and the calibration derived from them. */
  deleteAll(options?: CallOptions): Promise<void>;
};

export type OutcomeInput = {
  email: string;
  outcome: DeliveryOutcome;
  /** Default: now. */
  occurredAt?: Date | string | undefined;
};

export function feedbackMethods(send: SendRequest): FeedbackMethods {
  // The service ignores the key. It marks the request as safe to retry.
  const path = "/feedback";
  const post = (
    more: { body?: object; upload?: ReturnType<typeof uploadBody>; extraMs?: number },
    options?: CallOptions,
  ) =>
    send<FeedbackSummary>({
      method: "POST",
      path,
      idempotencyKey: createIdempotencyKey(),
      ...more,
      ...options,
    });
  return {
    async submit(outcomes, options) {
      const list = Array.isArray(outcomes) ? (outcomes as readonly OutcomeInput[]) : undefined;
      const body = list
        ? { outcomes: list.map(toReportedOutcome) }
        : toReportedOutcome(outcomes as OutcomeInput);
      return (await post({ body }, options)).body;
    },
    async upload(file, options) {
      const upload = uploadBody(file);
      return (await post({ upload, extraMs: upload.extraMs }, options)).body;
    },
    async report(options) {
      return (await send<FeedbackReport>({ method: "GET", path: `${path}/report`, ...options })).body;
    },
    async deleteAll(options) {
      await send({ method: "DELETE", path, ...options });
    },
  };
}

function toReportedOutcome({ email, outcome, occurredAt }: OutcomeInput): ReportedOutcome {
  if (occurredAt === undefined) return { email, outcome };
  return { email, outcome, occurred_at: occurredAt instanceof Date ? occurredAt.toISOString() : occurredAt };
}
