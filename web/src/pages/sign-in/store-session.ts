/** Somebody has just signed in here: remember who, and forget what an earlier account left behind. */
import type { SignedIn } from "@mailvet/contract";
import { queries, sessionQuery } from "../../queries.ts";

export function storeSession(signedIn: SignedIn): void {
  queries.removeQueries({ type: "inactive" });
  queries.setQueryData(sessionQuery.queryKey, signedIn);
}
