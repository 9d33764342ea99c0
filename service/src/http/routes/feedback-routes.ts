/** /feedback: delivery outcomes as JSON or as a file, the report of predicted and real bounces, and deletion. */
import multipart from "@fastify/multipart";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  FeedbackReport,
  FeedbackRequest,
  FeedbackSummary,
  MAX_OUTCOMES,
  type ReportedOutcome,
} from "@mailvet/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { ACCOUNT_LIMITS } from "../../accounts/plans.ts";
import { auditOnCommit } from "../../audit/audit-writer.ts";
import { createConcurrencyLimit } from "../../base/concurrency-limit.ts";
import { Refusal, wrongField } from "../../base/refusal.ts";
import type { Feedback } from "../../feedback/feedback.ts";
import { drainBody, LIMITS, plainBytes, readFile } from "../multipart-file.ts";
import { actorOf } from "../request-actor.ts";
import { shutdownSignal } from "../shutdown-signal.ts";
import "../route-config.ts";

export type FeedbackRouteDeps = {
  feedback: Pick<Feedback, "report" | "reportFile" | "summarize" | "deleteAll">;
  maxUploadBytes: number;
};

/** Enough for a thousand addresses of maximum length. */
const MAX_BODY_BYTES = 1024 * 1024;
const CONCURRENCY = {
  what: "files of outcomes",
  perAccount: ACCOUNT_LIMITS.concurrent_feedback_files,
  total: 16,
};

export const feedbackRoutes =
  ({ feedback, maxUploadBytes }: FeedbackRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const slots = createConcurrencyLimit(CONCURRENCY);
    const stopping = shutdownSignal(app);

    const handleFile = async (request: FastifyRequest) => {
      const release = slots.acquire(request.caller!.accountId);
      try {
        const bytes = request.isMultipart()
          ? readFile(request, maxUploadBytes, stopping)
          : plainBytes(request, maxUploadBytes, stopping);
        return await feedback.reportFile(request.caller!, bytes);
      } finally {
        release();
        drainBody(request.raw, maxUploadBytes);
      }
    };

    app.register(async (scope) => {
      await acceptFiles(scope);
      scope.post("/feedback", REPORT_OUTCOMES, async (request) => {
        if (request.isMultipart() || isPlainFile(request)) return handleFile(request);
        const outcomes = outcomesIn(request.body as FeedbackRequest | undefined);
        return feedback.report(request.caller!, outcomes);
      });
    });

    app.get("/feedback/report", GET_REPORT, (request) => feedback.summarize(request.caller!));

    app.delete("/feedback", DELETE_FEEDBACK, async (request, reply) => {
      const { accountId } = request.caller!;
      const recorded = auditOnCommit(actorOf(request), () => ({ action: "feedback.deleted", accountId }));
      await feedback.deleteAll(request.caller!, recorded);
      return reply.code(204).send(null);
    });
  };

const REPORT_OUTCOMES = {
  bodyLimit: MAX_BODY_BYTES,
  schema: {
    operationId: "reportOutcomes",
    tags: ["feedback"],
    summary: "Report outcomes",
    description: `Reports what happened to messages you sent. Send one outcome, a list of up to ${MAX_OUTCOMES.toLocaleString("en")}, or a file exported by your email service (CSV or similar text, optionally gzipped), either as the body with content type \`text/csv\` or in the form field \`file\`. Columns of a file are detected from their content, and the event names of common email services are recognised. Soft bounces and delays are counted as ignored. Reporting is free, and reporting the same outcome twice has no effect. Outcomes calibrate the scores of your account only.`,
    body: { content: { "application/json": { schema: FeedbackRequest } } },
    response: { 200: FeedbackSummary },
  },
  config: {
    access: { scope: "validate" },
    acceptsFile: true,
    idempotency: false, // reporting it again has no effect
    problems: [
      "empty_file",
      "not_a_table",
      "unsupported_file",
      "undecodable_file",
      "compression_bomb",
      "no_emails_found",
      "too_many_rows",
    ],
  },
} as const;

const GET_REPORT = {
  schema: {
    operationId: "getFeedbackReport",
    tags: ["feedback"],
    summary: "Retrieve the bounce report",
    description:
      "Compares predicted with real bounces for all reported outcomes: overall, by score, by provider and by week.",
    response: { 200: FeedbackReport },
  },
  config: { access: { scope: "read" } },
} as const;

const DELETE_FEEDBACK = {
  schema: {
    operationId: "forgetFeedback",
    tags: ["feedback"],
    summary: "Delete all outcomes",
    description:
      "Deletes every reported outcome and the calibration derived from them. Scores return to their uncalibrated values.",
    response: { 204: Type.Null({ description: "Deleted." }) },
  },
  // Not the scope of the key in a sign-up form: it discards months of calibration.
  config: { access: { scope: "bulk" } },
} as const;

/** Besides JSON, routes of this scope accept multipart/form-data and text/csv. */
async function acceptFiles(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart, { limits: LIMITS, throwFileSizeLimit: false });
  scope.addContentTypeParser("text/csv", (_request, payload, done) => done(null, payload));
  scope.addContentTypeParser("*", (_request, _payload, done) => {
    const detail = 'Send JSON, text/csv, or multipart/form-data with the file in a field named "file".';
    done(new Refusal("unsupported_media_type", detail));
  });
}

function isPlainFile({ mediaType }: FastifyRequest): boolean {
  return mediaType === "text/csv";
}

/** Either one outcome or a list, not both. */
function outcomesIn(body: FeedbackRequest | undefined): readonly ReportedOutcome[] {
  const { outcomes, ...one } = body ?? {};
  if (outcomes) {
    const [extra] = Object.keys(one);
    if (extra) throw wrongField(`/${extra}`, "is not allowed together with outcomes");
    return outcomes;
  }
  const { email, outcome, occurred_at } = one;
  if (email === undefined) throw wrongField("/email", "is required");
  if (outcome === undefined) throw wrongField("/outcome", "is required");
  return [{ email, outcome, ...(occurred_at === undefined ? {} : { occurred_at }) }];
}
