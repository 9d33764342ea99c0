/** Answers with problem documents. Those that several operations have in common are components under a name of their own. */
import { PROBLEMS, type ProblemCode } from "@mailvet/contract";
import { PROBLEM_TYPE } from "../problem.ts";
import { headersNamed } from "./openapi-texts.ts";
import { problemExample } from "./resource-examples.ts";

type Json = Record<string, unknown>;

/** Names of answers with several codes. One with a single code is named after it. */
const NAMES: readonly (readonly [string, readonly ProblemCode[]])[] = [
  ["Unauthorized", ["missing_api_key", "invalid_api_key", "not_signed_in"]],
  ["UnauthorizedOperator", ["invalid_api_key", "not_signed_in"]],
  ["UnauthorizedOwner", ["not_signed_in", "wrong_credentials", "two_factor_required"]],
  ["UnauthorizedPasskey", ["not_signed_in", "wrong_credentials", "passkey_rejected", "two_factor_required"]],
  ["ForbiddenToRead", ["api_access_not_included", "insufficient_scope", "account_suspended"]],
  [
    "ForbiddenToWrite",
    ["api_access_not_included", "insufficient_scope", "account_suspended", "origin_rejected"],
  ],
  ["ForbiddenInSession", ["account_suspended", "session_required"]],
  ["ForbiddenToChange", ["account_suspended", "session_required", "origin_rejected"]],
  ["ForbiddenSignIn", ["account_suspended", "origin_rejected"]],
  [
    "ForbiddenToOperators",
    ["ip_not_allowed", "insufficient_scope", "account_suspended", "session_required", "operator_only"],
  ],
  [
    "ForbiddenToAdminister",
    [
      "ip_not_allowed",
      "insufficient_scope",
      "account_suspended",
      "session_required",
      "operator_only",
      "origin_rejected",
    ],
  ],
  ["ForbiddenWithKeys", ["account_suspended", "session_required", "operator_only", "origin_rejected"]],
  ["ConflictOfJob", ["idempotency_in_flight", "job_state_conflict"]],
  ["ConflictOfOperator", ["idempotency_in_flight", "operator_protected"]],
  ["ConflictOfKeys", ["idempotency_in_flight", "too_many_keys"]],
  ["ConflictOfWebhook", ["idempotency_in_flight", "webhook_disabled"]],
  ["ConflictOfUpload", ["idempotency_in_flight", "storage_full"]],
  ["ConflictOfPasskeys", ["passkeys_unavailable", "too_many_passkeys"]],
  ["FileTooLarge", ["payload_too_large", "compression_bomb", "too_many_rows", "too_many_emails"]],
  ["ListTooLarge", ["payload_too_large", "too_many_emails"]],
  ["UnsupportedUpload", ["unsupported_media_type", "unsupported_file"]],
  ["Unprocessable", ["validation_failed", "idempotency_key_reused"]],
  ["TooManyJobs", ["rate_limited", "too_many_active_jobs"]],
  ["TooManyUploads", ["rate_limited", "too_many_uploads"]],
];

const keyOf = (codes: readonly ProblemCode[]) => [...codes].sort().join();
const NAME_OF: ReadonlyMap<string, string> = new Map(NAMES.map(([name, codes]) => [keyOf(codes), name]));

const RETRYABLE: ReadonlySet<ProblemCode> = new Set(["rate_limited", "overloaded", "idempotency_in_flight"]);

export class ProblemAnswers {
  readonly #schema: unknown;
  readonly #shared = new Map<string, Json>();
  readonly #examples = new Map<string, Json>();

  constructor(schema: unknown) {
    this.#schema = schema;
  }

  of(codes: readonly ProblemCode[]): Json {
    const answer = this.#answerWith(codes);
    const name = codes.length === 1 ? pascalCase(codes[0]!) : NAME_OF.get(keyOf(codes));
    if (name === undefined) return answer;
    this.#shared.set(name, answer);
    return { $ref: `#/components/responses/${name}` };
  }

  #answerWith(codes: readonly ProblemCode[]): Json {
    for (const code of codes) {
      if (!this.#examples.has(code))
        this.#examples.set(code, { summary: PROBLEMS[code][1], value: problemExample(code) });
    }
    return {
      description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}.`).join("\n"),
      headers: headersNamed(
        "X-Request-Id",
        "RateLimit",
        "RateLimit-Policy",
        "X-Credits-Remaining",
        ...(codes.some((code) => RETRYABLE.has(code)) ? (["Retry-After"] as const) : []),
      ),
      content: {
        [PROBLEM_TYPE]: {
          schema: this.#schema,
          examples: Object.fromEntries(
            codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
          ),
        },
      },
    };
  }

  responses = () => sorted(this.#shared);
  examples = () => sorted(this.#examples);
}

const sorted = (entries: ReadonlyMap<string, Json>) =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

const pascalCase = (code: string) =>
  code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
