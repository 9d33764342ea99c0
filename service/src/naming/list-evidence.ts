/** Evidence that a list adds to each of its addresses: naming and typos. */
import type { Evidence, Verdict } from "@mailvet/engine";
import { listNamingOf } from "./list-naming.ts";
import { listTyposOf } from "./list-typos.ts";

/** The evidence with what the other addresses add; the same evidence where that is nothing. */
export type ListView = (evidence: Evidence, verdict: Verdict) => Evidence;

/** The list is read at the first use. */
export function listViewOf(list: () => Iterable<Evidence>): ListView {
  const naming = listNamingOf(list);
  const typos = listTyposOf(list);
  return (evidence, verdict) => typos(naming(evidence, verdict), verdict);
}
