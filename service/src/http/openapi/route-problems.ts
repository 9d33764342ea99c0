/** Problem codes of a route: implied by its method, access and schema, plus its own. */
import { PROBLEMS, type ProblemCode } from "@mailvet/contract";
import type { Access } from "../route-config.ts";

export type RouteTraits = {
  method: string;
  access: Access;
  /** Whether its path, query or body has a schema. */
  isValidated: boolean;
  honoursIdempotencyKey: boolean;
  problems: readonly ProblemCode[];
};

const HAS_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const acceptsKey = (access: Access) => access === "any_key" || typeof access === "object";
const isUnsafe = (method: string) => HAS_BODY.has(method);

/** Each row applies to the routes that match its condition. */
const RULES: readonly (readonly [readonly ProblemCode[], (route: RouteTraits) => boolean])[] = [
  [["malformed_request", "not_acceptable", "rate_limited", "internal_error", "overloaded"], () => true],
  [["payload_too_large", "unsupported_media_type"], ({ method }) => HAS_BODY.has(method)],
  [["validation_failed"], ({ isValidated }) => isValidated],
  [["missing_api_key", "invalid_api_key", "api_access_not_included"], ({ access }) => acceptsKey(access)],
  [["insufficient_scope"], ({ access }) => typeof access === "object"],
  [["not_signed_in", "account_suspended"], ({ access }) => access !== "open"],
  [["session_required"], ({ access }) => access === "session" || access === "operator"],
  [["operator_only"], ({ access }) => access === "operator"],
  [["origin_rejected"], ({ access, method }) => access !== "open" && isUnsafe(method)],
  [["origin_rejected"], ({ access }) => typeof access === "object" && access.scope !== "read"],
  [
    ["idempotency_in_flight", "idempotency_key_reused", "validation_failed"],
    ({ honoursIdempotencyKey }) => honoursIdempotencyKey,
  ],
];

/** HTTP status → problem codes, ordered by status. */
export function problemsOf(route: RouteTraits): Map<number, ProblemCode[]> {
  const codes = new Set(RULES.flatMap(([problems, applies]) => (applies(route) ? problems : [])));
  for (const code of route.problems) codes.add(code);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of [...codes].sort((a, b) => PROBLEMS[a][0] - PROBLEMS[b][0])) {
    const [status] = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}
