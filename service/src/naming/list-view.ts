/** What a list tells of each of its addresses that the address by itself does not. */
import type { Evidence, Verdict } from "@mailvet/engine";
import { listNamingOf } from "./list-naming.ts";
import { listSlipsOf } from "./list-typos.ts";

/** The evidence with what the rest of the list adds to it; the same evidence where that is nothing. */
export type ListView = (evidence: Evidence, verdict: Verdict) => Evidence;

/** The list as it stands when it is first looked at. */
export function listViewOf(list: () => Iterable<Evidence>): ListView {
  const naming = listNamingOf(list);
  const slips = listSlipsOf(list);
  return (evidence, verdict) => slips(naming(evidence, verdict), verdict);
}
