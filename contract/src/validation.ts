/** Validation of one address, or of up to a thousand in one request. */
import { type Static, Type } from "typebox";
import { PLANS } from "./plans.ts";
import { Count, Nullable, OneOf } from "./shape.ts";
import { ALL_SUB_STATUSES, STATUSES } from "./verdict.ts";
import { LEVELS } from "./words.ts";

export const MAX_BULK_EMAILS = 1000;

/** Any text: malformed input gets a verdict, not a request error. Only the size of the request is limited. */
const EmailText = Type.String({ description: "Address to validate, exactly as entered." });

export const MAX_TIMEOUT_SECONDS = 60;

/** Options of a request. */
const CheckOptions = {
  timeout_seconds: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: MAX_TIMEOUT_SECONDS,
      description:
        "Maximum seconds until the response. An address that is not checked by then is `unknown`; the check continues in " +
        "the background, and a retry returns its result.",
    }),
  ),
  level: Type.Optional(
    OneOf(LEVELS, {
      description:
        "Depth of the check. Defaults to `smtp`. `syntax` checks the text and the reference lists, `dns` also resolves the " +
        "domain, `smtp` also asks the mail server. Below `smtp` no mail server is contacted, and a mailbox that only it " +
        "could confirm is `unknown` with `smtp_skipped`.",
    }),
  ),
  fresh: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "Maximum age of a cached verdict in seconds. 0 disables the cache. By default a verdict is reused for one hour to " +
        "three days, depending on its kind.",
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
  description: "Probability that `status` is correct.",
});

export const ValidationDetails = Type.Object({
  syntax_valid: Type.Boolean({ description: "Whether the address is well-formed (RFC 5321, RFC 6531)." }),
  dns_valid: Type.Boolean({ description: "Whether DNS has a mail server with a public address." }),
  smtp_valid: Type.Boolean({ description: "Whether a mail server accepted the recipient." }),
  smtp_code: Type.Integer({ description: "SMTP code of the deciding reply. 0 if there was none." }),
  domain: Type.String({ description: "Domain in A-labels, lower case. Empty if there is none." }),
  provider: Type.String({
    description: 'Stable slug of the mail provider, "other", or "" without a mail server.',
  }),
  is_disposable: Type.Boolean(),
  is_role_based: Type.Boolean(),
  has_spf: Type.Boolean(),
  has_dmarc: Type.Boolean(),
  normalized_email: Type.String({
    description: "Address in lower case, Unicode NFC and A-labels. Empty if malformed.",
  }),
  canonical_email: Type.String({
    description:
      "Shortest spelling of the same mailbox, without Gmail dots and sub-address. Empty if malformed.",
  }),
  is_free: Type.Boolean({ description: "Whether anyone can open a mailbox at this provider for free." }),
  is_subaddressed: Type.Boolean({
    description: "Whether the address has a +tag or the equivalent of its provider.",
  }),
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
    "Where and why the address is malformed.",
  ),
});
export type ValidationDetails = Static<typeof ValidationDetails>;

export const ValidationResult = Type.Object({
  email: Type.String({ description: "Address as sent." }),
  status: OneOf(STATUSES, { description: "The verdict. No values will be added." }),
  sub_status: OneOf(ALL_SUB_STATUSES, {
    description: "Reason of the verdict. Values may be added; each belongs to one status.",
  }),
  confidence: Confidence,
  safe_to_send: Type.Boolean({
    description: "Whether sending is recommended: the address is valid and you reported no complaint.",
  }),
  is_valid: Type.Boolean({ description: "Whether there is positive evidence that the mailbox exists." }),
  reason: Type.String({ description: "The verdict in one sentence." }),
  suggestion: Nullable(Type.String(), "Suggested address, if this one looks like a typo."),
  score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      "Estimated probability, in percent, that a message is accepted. For `catch_all` and `unknown`, the plausibility of " +
      "the mailbox name and your reported outcomes adjust it.",
  }),
  flags: Type.Array(Type.String(), {
    description:
      "Additional signals as stable values. `delivered_before` and `bounced_before` (for 180 days each) and " +
      "`complained_before` reflect outcomes you reported; they never change the status. `score_calibrated`: your outcomes " +
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
      used: Type.Boolean({
        description: "Whether the plausibility of the mailbox name influenced the result.",
      }),
      method: Nullable(
        Type.String(),
        "Model and version, followed by `+naming` and `+adjudicator:model` where they were used.",
      ),
      score: Nullable(
        Type.Number({ minimum: 0, maximum: 1 }),
        "Plausibility of the mailbox name. 0.5 is neutral.",
      ),
      reasons: Type.Array(Type.String(), { description: "Reasons in plain text, most important first." }),
    },
    {
      description:
        "Never overrules a mail server. Refines score and confidence of `catch_all` and `unknown`, and marks an accepted " +
        "mailbox as `low_quality` if its name looks random.",
    },
  ),
  performance: Type.Object({ response_time_ms: Count("Processing time in milliseconds.") }),
  metadata: Type.Object({
    timestamp: Type.Number({ description: "Unix time in seconds, with fraction." }),
    plan_tier: Type.String({
      description: `Plan of the caller: ${PLANS.join(", ")}, or "local" on the command line.`,
    }),
    features_used: Type.Object({ catchall_detection: Type.Boolean(), ai_enhancement: Type.Boolean() }),
    cached: Type.Boolean({ description: "Whether the result comes from the cache." }),
    checked_at: Type.Number({ description: "Unix time in seconds of the check." }),
    retry_after: Nullable(Count("Seconds."), "Seconds after which a retry may resolve an `unknown`."),
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
  confidence: Confidence,
  sub_status: OneOf(ALL_SUB_STATUSES),
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  suggestion: Nullable(Type.String()),
  retry_after: Nullable(Count("Seconds after which a retry may resolve an `unknown`.")),
});
export type BulkItem = Static<typeof BulkItem>;

/** total = valid + invalid + risky + unknown + duplicate; credits_used = total − duplicate. */
export const BulkSummary = Type.Object({
  total: Count("Emails submitted."),
  valid_count: Count("Unique emails that are valid."),
  invalid_count: Count("Unique emails that are invalid."),
  risky_count: Count("Unique emails that are risky."),
  unknown_count: Count("Unique emails that are unknown."),
  duplicate_count: Count("Duplicates. They are free."),
  credits_used: Count("Credits charged: one per unique email."),
  results: Type.Array(BulkItem, { description: "One item per unique email, in order of first appearance." }),
});
export type BulkSummary = Static<typeof BulkSummary>;
