/** Delivery feedback: reports outcomes to the service, and compares predicted with actual bounces. */
import type { DeliveryOutcome, FeedbackReport, FeedbackSummary, ReportedOutcome } from "@mailvet/contract";
import { type Loose, momentText, type Requests } from "./requests.ts";
import type { CallOptions } from "./transport.ts";
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

/** The service ignores the Idempotency-Key. It marks the request as safe to retry. */
export function feedbackMethods(requests: Requests): FeedbackMethods {
  const path = "/feedback";
  return {
    submit(outcomes, options) {
      const body = Array.isArray(outcomes)
        ? { outcomes: (outcomes as readonly OutcomeInput[]).map(toReportedOutcome) }
        : toReportedOutcome(outcomes as OutcomeInput);
      return requests.post(path, body, options);
    },
    upload(file, options) {
      const upload = uploadBody(file);
      return requests.post(path, undefined, { upload, extraMs: upload.extraMs, ...options });
    },
    report: (options) => requests.get(`${path}/report`, options),
    deleteAll: (options) => requests.delete(path, options),
  };
}

function toReportedOutcome({ email, outcome, occurredAt }: OutcomeInput) {
  return { email, outcome, occurred_at: momentText(occurredAt) } satisfies Loose<ReportedOutcome>;
}
