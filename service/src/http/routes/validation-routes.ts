/** POST and GET /validation/single: verdict for one address. POST /validation/bulk: for up to a thousand. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  BulkRequest,
  BulkSummary,
  MAX_BULK_EMAILS,
  ValidationRequest,
  ValidationResult,
} from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../../base/refusal.ts";
import { type CheckParameters, checkOptionsOf } from "../../validations/check-options.ts";
import type { Validations } from "../../validations/validations.ts";
import { answerIn } from "../middleware/language.ts";
import { chargeOf } from "../middleware/settle-charges.ts";
import "../route-config.ts";

export type ValidationRouteDeps = {
  validations: Pick<Validations, "validate" | "validateMany">;
};

/** Enough for a thousand addresses of maximum length. */
const MAX_BODY_BYTES = 1024 * 1024;

export const validationRoutes =
  ({ validations }: ValidationRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const validateOne = async (
      request: FastifyRequest,
      reply: FastifyReply,
      email: string,
      options: CheckParameters,
    ) => {
      const context = { ...contextOf(request, options), language: answerIn(request, reply) };
      const answer = await validations.validate(request.caller!, email, context);
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
          summary: "Validate an address",
          description:
            "Validates one address. Costs one credit, whatever the options. Malformed input also gets a verdict: `invalid` with `syntax_error`.",
          body: ValidationRequest,
          response: { 200: ValidationResult },
        },
        config: { access: { scope: "validate" }, problems: ["insufficient_credits"] },
      },
      (request, reply) => validateOne(request, reply, request.body.email, checkOptionsOf(request.body)),
    );

    app.get(
      "/validation/single",
      {
        schema: {
          operationId: "validateSingleByQuery",
          tags: ["validation"],
          summary: "Validate an address in the query string",
          description:
            "Like `POST`, with the address in the query string. Costs one credit. Encode a plus sign as `%2B`; an unencoded `+` inside the local part is accepted too.",
          querystring: ValidationRequest,
          response: { 200: ValidationResult },
        },
        config: { access: { scope: "validate" }, problems: ["insufficient_credits"] },
      },
      (request, reply) =>
        validateOne(request, reply, emailOf(request.url, request.query.email), checkOptionsOf(request.query)),
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
            "Validates a list in one request. Costs one credit per unique email; duplicates are free. Addresses that can't be checked in time are `unknown` with `retry_after`: retry then to get the result.",
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
      (request) =>
        validations.validateMany(
          request.caller!,
          request.body.emails,
          contextOf(request, checkOptionsOf(request.body)),
        ),
    );
  };

/**
 * The query parser leaves invalid percent-encoding as it is, which would be checked as a different mailbox. It decodes
 * `+` as a space; inside an unquoted local part, where a space is impossible, the plus sign is restored.
 */
function emailOf(url: string, email: string): string {
  const query = url.slice(url.indexOf("?") + 1);
  if (!isDecodable(query))
    throw new Refusal("malformed_request", "The query string is not valid percent-encoded UTF-8.");
  if (!query.includes("+") || email.includes('"')) return email;
  const at = Math.max(email.lastIndexOf("@"), 0);
  return email.slice(0, at).replace(/(?<=\S) (?=\S)/g, "+") + email.slice(at);
}

/** Uses what it decodes: the bundler takes decodeURIComponent for a call without effects, and drops one that is not used. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text).length >= 0;
  } catch {
    return false;
  }
}

function contextOf(request: FastifyRequest, options: CheckParameters) {
  const { id: requestId, lifetime } = request;
  return { requestId, charge: chargeOf(request), startedAtMs: lifetime.startedAtMs, options };
}

/** Runs before validation, because this has a problem code of its own. */
async function refuseTooMany({ body }: FastifyRequest): Promise<void> {
  const emails = typeof body === "object" && body !== null && "emails" in body ? body.emails : undefined;
  if (!Array.isArray(emails) || emails.length <= MAX_BULK_EMAILS) return;
  throw new Refusal(
    "too_many_emails",
    `The request has ${emails.length} emails. At most ${MAX_BULK_EMAILS} are allowed per request.`,
    { found: emails.length, limit: MAX_BULK_EMAILS },
  );
}
