/** Stores a new session and drops cached data of an earlier account. */
import type { SignedIn } from "@mailvet/contract";
import { markSession, queries, sessionQuery } from "../../queries.ts";

export function storeSession(signedIn: SignedIn): void {
  queries.removeQueries({ type: "inactive" });
  markSession(true);
  queries.setQueryData(sessionQuery.queryKey, signedIn);
}
