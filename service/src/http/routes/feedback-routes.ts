/** /feedback: what became of messages, told one by one, as a list or as a file; how well it was foreseen; and forgetting it. */
import { Readable } from "node:stream";
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
import type { Feedback } from "../../feedback/feedback.ts";
import { Refusal, wrongValue } from "../../refusal.ts";
import { createConcurrencyLimit } from "../middleware/concurrency-limit.ts";
import { fileOf, LIMITS, letTheRestPass, tooLarge } from "./multipart-file.ts";
import { shutdownSignal } from "./shutdown-signal.ts";
import "../route-config.ts";

export type FeedbackRouteDeps = {
  feedback: Pick<Feedback, "report" | "reportFile" | "summarize" | "deleteAll">;
  maxUploadBytes: number;
};

/** A thousand addresses of full length fit well. */
const MAX_BODY_BYTES = 1024 * 1024;
const PLACES = { what: "files of outcomes", perAccount: 2, inAll: 16 };

export const feedbackRoutes =
  ({ feedback, maxUploadBytes }: FeedbackRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const places = createConcurrencyLimit(PLACES);
    const stopping = shutdownSignal(app);

    const takeFile = async (request: FastifyRequest) => {
      const leave = places.take(request.caller!.accountId);
      try {
        const bytes = request.isMultipart()
          ? (await fileOf(request, maxUploadBytes, stopping)).bytes
          : plainBytes(request, maxUploadBytes, stopping);
        return await feedback.reportFile(request.caller!, bytes);
      } finally {
        leave();
        letTheRestPass(request.raw, maxUploadBytes);
      }
    };

    app.register(async (scope) => {
      await takeFiles(scope);
      scope.post("/feedback", TELL, async (request) => {
        if (request.isMultipart() || isPlainFile(request)) return takeFile(request);
        const told = outcomesIn(request.body as FeedbackRequest | undefined);
        return feedback.report(request.caller!, told);
      });
    });

    app.get("/feedback/report", REPORT, (request) => feedback.summarize(request.caller!.accountId));

    app.delete("/feedback", FORGET, async (request, reply) => {
      await feedback.deleteAll(request.caller!);
      return reply.code(204).send(null);
    });
  };

const TELL = {
  bodyLimit: MAX_BODY_BYTES,
  schema: {
    operationId: "reportOutcomes",
    tags: ["feedback"],
    summary: "Tell what became of messages",
    description: `One outcome, up to ${MAX_OUTCOMES.toLocaleString("en")} of them, or a file as your mail service exports it (CSV or similar text, also gzipped): as the body itself with the content type \`text/csv\`, or in the form field \`file\`. In a file the columns are found by what is in them, and the words of the usual mail services are understood. Soft bounces and delays are counted as ignored. It costs nothing, and telling the same twice changes nothing. Your outcomes calibrate your scores, and nobody else's.`,
    body: { content: { "application/json": { schema: FeedbackRequest } } },
    response: { 200: FeedbackSummary },
  },
  config: {
    access: { scope: "validate" },
    mayBeFile: true,
    idempotency: false, // telling it again changes nothing
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

const REPORT = {
  schema: {
    operationId: "getFeedbackReport",
    tags: ["feedback"],
    summary: "Predicted against real bounces",
    description:
      "How many of the messages whose outcome was told had been expected to bounce, and how many did: in all, by score, by provider and by week.",
    response: { 200: FeedbackReport },
  },
  config: { access: { scope: "read" } },
} as const;

const FORGET = {
  schema: {
    operationId: "forgetFeedback",
    tags: ["feedback"],
    summary: "Forget all outcomes",
    description:
      "Erases every outcome that was told, and what was learned from them: scores are as at the beginning.",
    response: { 204: Type.Null({ description: "Nothing of it is left." }) },
  },
  // Not the scope of the key in a sign-up form: it undoes what took months to learn.
  config: { access: { scope: "bulk" } },
} as const;

/** Beside JSON, routes of this scope take forms with a file, and CSV as it is. */
async function takeFiles(scope: FastifyInstance): Promise<void> {
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

async function* plainBytes(
  { body, headers }: FastifyRequest,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stream = (body as Readable | undefined) ?? Readable.from([]); // Fastify does not look at a body without bytes
  const stop = () => stream.destroy(signal.reason);
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    let count = 0;
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      count += chunk.byteLength;
      if (count > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** One, or a list of them, but not both. */
function outcomesIn(body: FeedbackRequest | undefined): readonly ReportedOutcome[] {
  const { outcomes, ...one } = body ?? {};
  if (outcomes) {
    const [extra] = Object.keys(one);
    if (extra) throw wrongValue(`/${extra}`, "is not expected beside outcomes");
    return outcomes;
  }
  const { email, outcome, occurred_at } = one;
  if (email === undefined)
    throw wrongValue("/email", "is missing", "The body names no email: /email is missing.");
  if (outcome === undefined)
    throw wrongValue("/outcome", "is missing", "The body says no outcome: /outcome is missing.");
  return [{ email, outcome, ...(occurred_at === undefined ? {} : { occurred_at }) }];
}
