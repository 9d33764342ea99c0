/** Validation of one address, or of up to 1,000 in one request. */
import { type Static, Type } from "typebox";
import { Count, Nullable, OneOf } from "./shape.ts";
import { ALL_SUB_STATUSES, RECOMMENDATIONS, STATUSES } from "./verdict.ts";
import { LEVELS, PLANS } from "./words.ts";

export const MAX_BULK_EMAILS = 1000;

/** Any text: malformed input gets a verdict, not a request error. Only the size of the whole request is limited. */
const EmailText = Type.String({ description: "Address to validate, as entered." });

export const MAX_TIMEOUT_SECONDS = 60;
/** Fifteen digits, the longest integer of a query string. */
const MAX_FRESH_SECONDS = 999_999_999_999_999;

/** Options of a validation request. All are optional. */
const CheckOptions = {
  timeout_seconds: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: MAX_TIMEOUT_SECONDS,
      description:
        "Response time limit, instead of the default of the service. A check that takes longer is `unknown` and continues " +
        "in the background; repeat the request for its result.",
    }),
  ),
  level: Type.Optional(
    OneOf(LEVELS, {
      description:
        "Depth of the check. Default: `smtp`. `syntax` uses the text and the reference lists only; `dns` also queries DNS; " +
        "`smtp` also asks the mail server. Below `smtp` no mail server is contacted, and a result that depends on it is " +
        "`unknown`, `smtp_skipped`.",
    }),
  ),
  fresh: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_FRESH_SECONDS,
      description:
        "Maximum age of a cached result in seconds; 0 disables the cache. Default: an hour to three days, depending on the " +
        "verdict.",
    }),
  ),
};

export const ValidationRequest = Type.Object(
  { email: EmailText, ...CheckOptions },
  { additionalProperties: false },
);
export type ValidationRequest = Static<typeof ValidationRequest>;

const Confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description:
    "Confidence that `status` is correct. For `unknown` it says little: nothing was decided, see `recommendation`.",
});

export const RecommendationField = OneOf(RECOMMENDATIONS, {
  description:
    "What to do with the address: `send`, `caution` (it may be delivered, but there is a reason against it), " +
    "`do_not_send`, or `retry` (nothing is decided yet; ask again later). One for each verdict.",
});

export const ValidationDetails = Type.Object({
  syntax_valid: Type.Boolean({ description: "Whether the address is well-formed (RFC 5321, RFC 6531)." }),
  dns_valid: Type.Boolean({ description: "Whether the domain has a mail server with a public address." }),
  smtp_valid: Type.Boolean({ description: "Whether a mail server accepted this recipient." }),
  smtp_code: Type.Integer({ description: "Code of the deciding reply; 0 without one." }),
  domain: Type.String({ description: "Domain in A-labels, lower case; empty when malformed." }),
  provider: Type.String({
    description: 'Stable slug of the mail provider, "other", or "" without a mail server.',
  }),
  is_disposable: Type.Boolean(),
  is_role_based: Type.Boolean(),
  has_spf: Type.Boolean(),
  has_dmarc: Type.Boolean(),
  normalized_email: Type.String({ description: "Lower case, Unicode NFC, A-labels; empty when malformed." }),
  canonical_email: Type.String({
    description: "Canonical spelling of the mailbox (no Gmail dots, no sub-address); empty when malformed.",
  }),
  is_free: Type.Boolean({ description: "Whether the provider offers free mailboxes." }),
  is_subaddressed: Type.Boolean({ description: "Whether it has a +tag or the equivalent of the provider." }),
  mx_host: Type.String({ description: "Mail server that replied, or the preferred one in DNS." }),
  smtp_enhanced_code: Type.String({ description: "Enhanced status code of the reply, such as 5.1.1." }),
  smtp_message: Type.String({ description: "Text of the reply, sanitised and truncated." }),
  has_mta_sts: Type.Boolean(),
  syntax_error: Nullable(
    Type.Object({
      rule: Type.String({ description: "Stable name of the violated rule." }),
      position: Type.Integer({
        minimum: 0,
        description: "Index into the input, in UTF-16 code units.",
      }),
      message: Type.String(),
    }),
    "Position and cause of a syntax error.",
  ),
});
export type ValidationDetails = Static<typeof ValidationDetails>;

export const ValidationResult = Type.Object({
  email: Type.String({ description: "Address as submitted." }),
  status: OneOf(STATUSES, { description: "The verdict. No further values will be added." }),
  sub_status: OneOf(ALL_SUB_STATUSES, {
    description: "Reason for the status. The list may grow; each belongs to one status.",
  }),
  confidence: Confidence,
  safe_to_send: Type.Boolean({
    description:
      "Whether sending is recommended: the address is valid, and no complaint was reported for it.",
  }),
  is_valid: Type.Boolean({ description: "Whether there is positive evidence that this mailbox exists." }),
  recommendation: RecommendationField,
  reason: Type.String({
    description:
      "Explanation of the verdict in one sentence, in the language of `Accept-Language` (`en` or `de`), otherwise in English.",
  }),
  suggestion: Nullable(Type.String(), "Probable intended address."),
  score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      "Estimated probability, in percent, that a message sent now is accepted. For catch_all and unknown, the mailbox " +
      "name and your delivery feedback adjust it within a band.",
  }),
  flags: Type.Array(Type.String(), {
    description:
      "Further findings, as stable identifiers. delivered_before, bounced_before (each for 180 days) and " +
      "complained_before repeat your delivery feedback; they never change the status. score_calibrated: your feedback " +
      "adjusted the score.",
  }),
  request_id: Type.String(),
  details: ValidationDetails,
  catchall: Type.Object({
    is_catchall: Type.Boolean(),
    confidence: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  }),
  ai_enhancement: Type.Object(
    {
      used: Type.Boolean({ description: "Whether the mailbox name influenced this result." }),
      method: Nullable(
        Type.String(),
        "Model and version, followed by +naming and +adjudicator:model if these were used.",
      ),
      score: Nullable(
        Type.Number({ minimum: 0, maximum: 1 }),
        "Plausibility of the mailbox name; 0.5 is neutral.",
      ),
      reasons: Type.Array(Type.String(), { description: "Reasons, most important first." }),
    },
    {
      description:
        "Never overrules a mail server: it refines score and confidence of catch_all and unknown, and may classify an " +
        "accepted mailbox with a random-looking name as low_quality.",
    },
  ),
  performance: Type.Object({ response_time_ms: Count("Response time in milliseconds.") }),
  metadata: Type.Object({
    timestamp: Type.Number({ description: "Unix time in seconds, with a fractional part." }),
    plan_tier: Type.String({
      description: `Plan of the caller: ${PLANS.join(", ")}; "local" for the command line.`,
    }),
    features_used: Type.Object({ catchall_detection: Type.Boolean(), ai_enhancement: Type.Boolean() }),
    cached: Type.Boolean({ description: "Whether the result comes from the cache." }),
    checked_at: Type.Number({ description: "Unix time in seconds of the check." }),
    retry_after: Nullable(Count("Seconds."), "Delay after which a retry may settle an unknown result."),
    sandbox: Type.Optional(Type.Boolean({ description: "Present and true for sandbox addresses." })),
  }),
});
export type ValidationResult = Static<typeof ValidationResult>;

export const BulkRequest = Type.Object(
  {
    emails: Type.Array(EmailText, { minItems: 1, maxItems: MAX_BULK_EMAILS }),
    ...CheckOptions,
  },
  { additionalProperties: false },
);
export type BulkRequest = Static<typeof BulkRequest>;

export const BulkItem = Type.Object({
  email: Type.String(),
  status: OneOf(STATUSES),
  is_valid: Type.Boolean(),
  safe_to_send: Type.Boolean(),
  recommendation: RecommendationField,
  confidence: Confidence,
  sub_status: OneOf(ALL_SUB_STATUSES),
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  suggestion: Nullable(Type.String()),
  retry_after: Nullable(Count("Seconds.")),
});
export type BulkItem = Static<typeof BulkItem>;

/**
 * total = valid + invalid + risky + unknown + duplicate; credits_used = total − duplicate, except that sandbox addresses are
 * free in the web app.
 */
export const BulkSummary = Type.Object({
  total: Count("Emails submitted."),
  valid_count: Count("Unique emails that are valid."),
  invalid_count: Count("Unique emails that are invalid."),
  risky_count: Count("Unique emails that are risky."),
  unknown_count: Count("Unique emails with an unknown result."),
  duplicate_count: Count("Duplicates of an earlier email; free."),
  credits_used: Count("One per unique email."),
  credits_refunded: Count(
    "Credits returned for results that are the fault of the service, such as `internal_error`.",
  ),
  results: Type.Array(BulkItem, { description: "One item per unique email, in order of first appearance." }),
});
export type BulkSummary = Static<typeof BulkSummary>;
