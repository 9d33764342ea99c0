/** Query for the API keys of the account, and their state. */
import type { ApiKey } from "@mailvet/contract";
import { queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";

export const keysQuery = queryOptions({ queryKey: ["keys"], queryFn: () => service.keys.list() });

export type KeyState = "usable" | "expired" | "revoked";

export function stateOf(
  { revoked_at, expires_at }: Pick<ApiKey, "revoked_at" | "expires_at">,
  now = Date.now(),
): KeyState {
  if (revoked_at) return "revoked";
  return expires_at && Date.parse(expires_at) <= now ? "expired" : "usable";
}
