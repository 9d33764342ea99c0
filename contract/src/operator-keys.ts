/** Operator keys: programs do the operator's work with them, without a browser session. */
import { type Static, Type } from "typebox";
import { OPERATOR_SCOPE_NAMES } from "./operator-scopes.ts";
import { Moment, Nullable, OneOf, Uuid } from "./shape.ts";

export const MAX_ALLOWED_RANGES = 50;

const AllowedRanges = (description: string) =>
  Type.Array(Type.String({ maxLength: 49 }), { maxItems: MAX_ALLOWED_RANGES, description });

export const OperatorKey = Type.Object({
  id: Uuid("ID of the key."),
  name: Type.String(),
  prefix: Type.String({ description: "First characters of the secret." }),
  scopes: Type.Array(OneOf(OPERATOR_SCOPE_NAMES)),
  allowed_ranges: AllowedRanges("Addresses from which the key works. Empty: from everywhere."),
  created_by: Nullable(Type.String(), "Email of the operator who created it."),
  created_at: Moment("Creation time."),
  expires_at: Nullable(Moment("Expiry time.")),
  last_used_at: Nullable(Moment("Last use, to the minute.")),
  revoked_at: Nullable(Moment("When it was revoked.")),
});
export type OperatorKey = Static<typeof OperatorKey>;

export const CreateOperatorKeyRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: Type.Array(OneOf(OPERATOR_SCOPE_NAMES), {
      minItems: 1,
      maxItems: OPERATOR_SCOPE_NAMES.length,
      uniqueItems: true,
    }),
    allowed_ranges: Type.Optional(
      AllowedRanges("IPv4 and IPv6 addresses and CIDR ranges from which the key works. Default: everywhere."),
    ),
    expires_at: Type.Optional(Nullable(Moment("Expiry time."))),
  },
  { additionalProperties: false },
);
export type CreateOperatorKeyRequest = Static<typeof CreateOperatorKeyRequest>;

export const CreatedOperatorKey = Type.Intersect([
  OperatorKey,
  Type.Object({ key: Type.String({ description: "The secret. It is not shown again." }) }),
]);
export type CreatedOperatorKey = Static<typeof CreatedOperatorKey>;
