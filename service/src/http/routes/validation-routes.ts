/** POST and GET /validation/single: one address in, one verdict out. POST /validation/bulk: a thousand at once. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  BulkRequest,
  BulkSummary,
  MAX_BULK_EMAILS,
  ValidationRequest,
  ValidationResult,
} from "@mailvet/contract";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../../refusal.ts";
import { type CheckParameters, checkOptionsOf } from "../../validations/check-options.ts";
import type { Validations } from "../../validations/validations.ts";
import { type ChargeOutcomeDeps, settleCharges } from "../middleware/settle-charges.ts";
import "../route-config.ts";

export type ValidationRouteDeps = {
  validations: Pick<Validations, "validate" | "validateMany">;
  charges: ChargeOutcomeDeps;
};

/** A thousand addresses of full length fit well. */
const MAX_BODY_BYTES = 1024 * 1024;

export const validationRoutes =
  ({ validations, charges }: ValidationRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    settleCharges(app, charges);
    const validateOne = async (request: FastifyRequest, email: string, options: CheckParameters) => {
      const answer = await validations.validate(request.caller!, email, askingOf(request, options));
      request.creditsRemaining = answer.creditsRemaining;
      request.onDelivered = answer.planRecheck;
      return answer.result;
    };

    app.post(
      "/validation/single",
      {
        bodyLimit: MAX_BODY_BYTES,
        schema: {
          operationId: "validateSingle",
          tags: ["validation"],
          summary: "Validate one address",
          description:
            "Costs one credit, whatever the options. A text that is no address is a verdict too: `invalid`, `syntax_error`.",
          body: ValidationRequest,
          response: { 200: ValidationResult },
        },
        config: { access: { scope: "validate" }, problems: ["insufficient_credits"] },
      },
      (request) => validateOne(request, request.body.email, checkOptionsOf(request.body)),
    );

    app.get(
      "/validation/single",
      {
        schema: {
          operationId: "validateSingleByQuery",
          tags: ["validation"],
          summary: "Validate one address, named in the query",
          description:
            "Costs one credit. In a query string a plus is written `%2B`; a bare `+` inside the mailbox name is understood as one too.",
          querystring: ValidationRequest,
          response: { 200: ValidationResult },
        },
        config: { access: { scope: "validate" }, problems: ["insufficient_credits"] },
      },
      (request) =>
        validateOne(request, emailOf(request.url, request.query.email), checkOptionsOf(request.query)),
    );

    app.post(
      "/validation/bulk",
      {
        bodyLimit: MAX_BODY_BYTES,
        schema: {
          operationId: "validateBulk",
          tags: ["validation"],
          summary: `Validate up to ${MAX_BULK_EMAILS.toLocaleString("en")} addresses`,
          description:
            "Costs one credit for each unique email; duplicates cost nothing. What could not be settled in time is `unknown` with `retry_after`; asking again later finds the answer.",
          body: BulkRequest,
          response: { 200: BulkSummary },
        },
        config: {
          access: { scope: "bulk" },
          isBulk: true,
          problems: ["insufficient_credits", "too_many_emails"],
        },
        preValidation: refuseTooMany,
      },
      async (request) => {
        const answer = await validations.validateMany(
          request.caller!,
          request.body.emails,
          askingOf(request, checkOptionsOf(request.body)),
        );
        request.creditsRemaining = answer.creditsRemaining;
        return answer.summary;
      },
    );
  };

/**
 * Text that was not UTF-8 would be left as it stands by the parser, and be asked for as another mailbox. And a bare +
 * means a blank, although in an address somebody has surely meant the plus: no mailbox name has a blank inside.
 */
function emailOf(url: string, email: string): string {
  const query = url.slice(url.indexOf("?") + 1);
  try {
    decodeURIComponent(query);
  } catch {
    throw new Refusal("malformed_request", "The query is not UTF-8 text, percent-encoded.");
  }
  if (!query.includes("+") || email.includes('"')) return email;
  const at = Math.max(email.lastIndexOf("@"), 0);
  return email.slice(0, at).replace(/(?<=\S) (?=\S)/g, "+") + email.slice(at);
}

function askingOf({ id: requestId, idempotencyKey, visit }: FastifyRequest, options: CheckParameters) {
  return { requestId, idempotencyKey, startedAtMs: visit.startedAt, options };
}

/** Before the schema is held against it, because too many is a problem of its own. */
async function refuseTooMany({ body }: FastifyRequest): Promise<void> {
  const emails = typeof body === "object" && body !== null && "emails" in body ? body.emails : undefined;
  if (!Array.isArray(emails) || emails.length <= MAX_BULK_EMAILS) return;
  throw new Refusal(
    "too_many_emails",
    `There are ${emails.length} emails; at most ${MAX_BULK_EMAILS} go into one request.`,
  );
}
