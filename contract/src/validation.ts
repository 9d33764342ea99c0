/** Validating one address, or up to a thousand at once, in one request. */
import { type Static, Type } from "typebox";
import { PLANS } from "./plans.ts";
import { Count, Nullable, OneOf } from "./shape.ts";
import { ALL_SUB_STATUSES, STATUSES } from "./verdict.ts";
import { LEVELS } from "./words.ts";

export const MAX_BULK_EMAILS = 1000;

/** Any text: what is no address is a verdict, not a request error. The size of the whole request is what is limited. */
const EmailText = Type.String({ description: "The address to validate, as the person typed it." });

export const MAX_TIMEOUT_SECONDS = 60;

/** How one request wants its addresses checked. All of them are optional. */
const CheckOptions = {
  timeout_seconds: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: MAX_TIMEOUT_SECONDS,
      description:
        "The answer comes within this time, instead of the service's own. What is not settled by then is `unknown`; the " +
        "check goes on in the background, and asking again finds its result.",
    }),
  ),
  level: Type.Optional(
    OneOf(LEVELS, {
      description:
        "How far to go; `smtp` unless told. `syntax` reads the text and the reference lists only; `dns` also asks the " +
        "name servers; `smtp` also asks the mail server. Below `smtp` no connection to a mail server is opened, and what " +
        "only it could tell is `unknown`, `smtp_skipped`.",
    }),
  ),
  fresh: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "Seconds. A cached verdict that is older is not used; 0 uses none. Without it a verdict is reused for as long as " +
        "its kind is considered fresh: an hour to three days.",
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
  description: "How sure we are that `status` is right.",
});

export const ValidationDetails = Type.Object({
  syntax_valid: Type.Boolean({ description: "Well-formed by RFC 5321 and RFC 6531." }),
  dns_valid: Type.Boolean({ description: "DNS names a mail server we may connect to." }),
  smtp_valid: Type.Boolean({ description: "A mail server accepted this recipient." }),
  smtp_code: Type.Integer({ description: "Code of the reply that decided; 0 when there was none." }),
  domain: Type.String({ description: "The domain in A-label form, lower case; empty when there is none." }),
  provider: Type.String({
    description: 'Stable slug of the mail provider, "other", or "" without a mail server.',
  }),
  is_disposable: Type.Boolean(),
  is_role_based: Type.Boolean(),
  has_spf: Type.Boolean(),
  has_dmarc: Type.Boolean(),
  normalized_email: Type.String({ description: "Lower case, Unicode NFC, A-labels; empty when malformed." }),
  canonical_email: Type.String({
    description:
      "The same mailbox in its shortest spelling (no Gmail dots, no sub-address); empty when malformed.",
  }),
  is_free: Type.Boolean({ description: "A mailbox anyone can open for free." }),
  is_subaddressed: Type.Boolean({ description: "Carries a +tag or the provider's form of one." }),
  mx_host: Type.String({ description: "The mail server that answered, or the first one DNS names." }),
  smtp_enhanced_code: Type.String({ description: "Enhanced code of that reply, such as 5.1.1." }),
  smtp_message: Type.String({ description: "Text of that reply, cleaned and cut." }),
  has_mta_sts: Type.Boolean(),
  syntax_error: Nullable(
    Type.Object({
      rule: Type.String({ description: "Stable name of the broken rule." }),
      position: Type.Integer({
        minimum: 0,
        description: "Index into the text as typed, in UTF-16 code units.",
      }),
      message: Type.String(),
    }),
    "Where the address is malformed, and how.",
  ),
});
export type ValidationDetails = Static<typeof ValidationDetails>;

export const ValidationResult = Type.Object({
  email: Type.String({ description: "The address as it was sent." }),
  status: OneOf(STATUSES, { description: "The verdict. These four are all there will ever be." }),
  sub_status: OneOf(ALL_SUB_STATUSES, { description: "Why. The list may grow; each belongs to one status." }),
  confidence: Confidence,
  safe_to_send: Type.Boolean({
    description: "Whether we recommend sending to it: it is valid, and you reported no complaint from it.",
  }),
  is_valid: Type.Boolean({ description: "There is positive evidence that this very mailbox exists." }),
  reason: Type.String({ description: "The verdict in one sentence for people." }),
  suggestion: Nullable(Type.String(), "The address that was probably meant."),
  score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      "Estimated chance, in percent, that a message sent now is accepted. Where mail servers leave it open (catch_all " +
      "and unknown), the look of the mailbox name and what you reported of earlier messages move it within its band.",
  }),
  flags: Type.Array(Type.String(), {
    description:
      "Everything else worth knowing, as stable words. delivered_before, bounced_before (each for 180 days) and " +
      "complained_before repeat what you reported; they never change the status. score_calibrated: your outcomes have " +
      "moved the score.",
  }),
  request_id: Type.String(),
  details: ValidationDetails,
  catchall: Type.Object({
    is_catchall: Type.Boolean(),
    confidence: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  }),
  ai_enhancement: Type.Object(
    {
      used: Type.Boolean({ description: "An opinion of the mailbox name had a say in this result." }),
      method: Nullable(
        Type.String(),
        "Whose opinion: the model and its version, then +naming and +adjudicator:model where those were heard.",
      ),
      score: Nullable(
        Type.Number({ minimum: 0, maximum: 1 }),
        "How plausible it is, by its name, that somebody has this mailbox; 0.5 is no opinion.",
      ),
      reasons: Type.Array(Type.String(), { description: "Why, in words, weightiest first." }),
    },
    {
      description:
        "It never overrules a mail server: it refines score and confidence of catch_all and unknown, and may call an " +
        "accepted mailbox low_quality when its name looks random.",
    },
  ),
  performance: Type.Object({ response_time_ms: Count("Milliseconds from question to answer.") }),
  metadata: Type.Object({
    timestamp: Type.Number({ description: "Unix time in seconds, with a fractional part." }),
    plan_tier: Type.String({
      description: `Plan of the caller: ${PLANS.join(", ")}; "local" from the command line.`,
    }),
    features_used: Type.Object({ catchall_detection: Type.Boolean(), ai_enhancement: Type.Boolean() }),
    cached: Type.Boolean({ description: "Answered from memory, without asking anyone again." }),
    checked_at: Type.Number({ description: "Unix time in seconds when the evidence was gathered." }),
    retry_after: Nullable(Count("Seconds."), "When asking again may settle an unknown."),
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
  retry_after: Nullable(Count("Seconds.")),
});
export type BulkItem = Static<typeof BulkItem>;

/** total = valid + invalid + risky + unknown + duplicate; credits_used = total − duplicate. */
export const BulkSummary = Type.Object({
  total: Count("Emails submitted."),
  valid_count: Count("Unique emails that are valid."),
  invalid_count: Count("Unique emails that are invalid."),
  risky_count: Count("Unique emails that are risky."),
  unknown_count: Count("Unique emails that could not be settled."),
  duplicate_count: Count("Repetitions of an earlier email; they cost nothing."),
  credits_used: Count("One for each unique email."),
  results: Type.Array(BulkItem, { description: "One item per unique email, in order of first appearance." }),
});
export type BulkSummary = Static<typeof BulkSummary>;
