/** Problem codes of a route: implied by its method, access and schema, plus its own. */
import { PROBLEMS, type ProblemCode } from "@mailvet/contract";
import { type Access, isForOperator, takesApiKeys } from "../route-config.ts";
import { spendsCredits } from "../route-methods.ts";

export type RouteTraits = {
  method: string;
  access: Access;
  /** Whether its path, query or body has a schema. */
  isValidated: boolean;
  honoursIdempotencyKey: boolean;
  problems: readonly ProblemCode[];
};

const HAS_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const isUnsafe = (method: string) => HAS_BODY.has(method);

/** Each row applies to the routes that match its condition. */
const RULES: readonly (readonly [readonly ProblemCode[], (route: RouteTraits) => boolean])[] = [
  [["malformed_request", "not_acceptable", "rate_limited", "internal_error", "overloaded"], () => true],
  [["payload_too_large", "unsupported_media_type"], ({ method }) => HAS_BODY.has(method)],
  [["validation_failed"], ({ isValidated }) => isValidated],
  [["missing_api_key", "api_access_not_included"], ({ access }) => takesApiKeys(access)],
  [["invalid_api_key"], ({ access }) => takesApiKeys(access) || typeof access === "object"],
  [["ip_not_allowed"], ({ access }) => isForOperator(access) && access !== "operator_session"],
  [["insufficient_scope"], ({ access }) => typeof access === "object"],
  [["not_signed_in", "account_suspended"], ({ access }) => access !== "open"],
  [["session_required"], ({ access }) => access === "session" || isForOperator(access)],
  [["operator_only"], ({ access }) => isForOperator(access)],
  [["origin_rejected"], ({ access, method }) => access !== "open" && isUnsafe(method)],
  [["origin_rejected"], ({ access }) => spendsCredits(access)],
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
