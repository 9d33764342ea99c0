/**
 * Requests and answers of Reacher's API 0.10 and 0.11, as its OpenAPI document and its program have them
 * (docs/migrating-from-reacher.md).
 */
import { type Static, Type } from "typebox";

/** What is accepted and has no effect: the operator configures it, or the engine decides it by itself. */
const IGNORED = {
  from_email: Type.Optional(Type.String()),
  hello_name: Type.Optional(Type.String()),
};

export const CheckEmailRequest = Type.Object({
  to_email: Type.String({ minLength: 1 }),
  ...IGNORED,
});

export const CreateBulkRequest = Type.Object({
  input: Type.Array(Type.String(), { minItems: 1 }),
  ...IGNORED,
});

export const BulkParams = Type.Object({
  job_id: Type.Integer({ minimum: 0, maximum: 2 ** 48 - 1 }),
});

export const ResultsPage = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
    offset: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 }),
    format: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const Text = Type.String();
const MaybeText = Type.Union([Type.String(), Type.Null()]);
const Flag = Type.Boolean();
const ErrorDetails = Type.Object({
  error: Type.Object({ type: Text, message: Text }),
  description: Type.Optional(Text),
});

export const CheckEmailOutput = Type.Object({
  input: Text,
  is_reachable: Type.Enum(["safe", "risky", "invalid", "unknown"]),
  misc: Type.Object({
    is_disposable: Flag,
    is_role_account: Flag,
    is_b2c: Flag,
    gravatar_url: Type.Null(),
    haveibeenpwned: Type.Null(),
  }),
  mx: Type.Union([Type.Object({ accepts_mail: Flag, records: Type.Array(Text) }), ErrorDetails]),
  smtp: Type.Union([
    Type.Object({
      can_connect_smtp: Flag,
      has_full_inbox: Flag,
      is_catch_all: Flag,
      is_deliverable: Flag,
      is_disabled: Flag,
    }),
    ErrorDetails,
  ]),
  syntax: Type.Object({
    address: MaybeText,
    domain: Text,
    is_valid_syntax: Flag,
    username: Text,
    normalized_email: MaybeText,
    suggestion: MaybeText,
  }),
  debug: Type.Object({
    server_name: Text,
    backend_name: Text,
    start_time: Text,
    end_time: Text,
    duration: Type.Object({ secs: Type.Integer(), nanos: Type.Integer() }),
    smtp: Type.Object({ verif_method: Type.Object({ type: Type.Enum(["Smtp", "Skipped"]) }) }),
  }),
});
export type CheckEmailOutput = Static<typeof CheckEmailOutput>;

export const BulkProgress = Type.Object({
  job_id: Type.Integer(),
  created_at: Text,
  finished_at: MaybeText,
  total_records: Type.Integer(),
  total_processed: Type.Integer(),
  summary: Type.Object({
    total_safe: Type.Integer(),
    total_risky: Type.Integer(),
    total_invalid: Type.Integer(),
    total_unknown: Type.Integer(),
  }),
  job_status: Type.Enum(["Running", "Completed"]),
});
export type BulkProgress = Static<typeof BulkProgress>;
