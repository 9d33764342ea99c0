/**
 * Evidence of a result, from which its reason, its flags and the stages of its check are derived when they are read.
 *
 * What the text alone yields is computed again. The rest is split (validations/shared-evidence.ts): what rows of one domain
 * have in common is stored at one of them, to which the others refer, and words of the address's own reply at each row.
 */
import type { Evidence } from "@mailvet/engine";
import { cachedPartOf } from "../../validations/cached-evidence.ts";
import {
  factsJson,
  joinEvidence,
  type SharedFacts,
  type SplitEvidence,
  splitEvidence,
} from "../../validations/shared-evidence.ts";

/** Found by the inspection, with the reference lists of that time or by the sandbox; the same for many addresses. */
const TRAITS = [
  "disposable",
  "isPrivacyRelay",
  "isAgentMailbox",
  "isFree",
  "role",
  "specialUse",
  "providerSyntaxError",
  "ignoresName",
  "listNaming",
  "isStopped",
] as const satisfies readonly (keyof Evidence)[];

/** Derived from the text, whatever the lists say. */
const FROM_TEXT = [
  "email",
  "syntaxError",
  "address",
  "canonical",
  "isSubaddressed",
  "nameScore",
] as const satisfies readonly (keyof Evidence)[];

export type SharedEvidence = Pick<SplitEvidence, "facts" | "finding"> & {
  traits?: Pick<Evidence, (typeof TRAITS)[number]>;
};
/** Null: nothing. `shared`: of a recheck. What the row had before may be what other rows refer to, so it is left. */
export type OwnPart = SplitEvidence["own"] &
  Pick<Evidence, "suggestion" | "outcome"> & { shared?: SharedEvidence };

/** `shared` is null in results of earlier releases. */
export type StoredEvidence = { shared: SharedEvidence | null; own: OwnPart | null };

export function storedEvidence(evidence: Evidence): StoredEvidence {
  const { facts, finding, own } = splitEvidence(evidence.address?.normalized ?? "", cachedPartOf(evidence));
  const traits = picked(evidence, TRAITS);
  for (const name of TRAITS) if (traits[name] === false) delete traits[name]; // most of them are
  const parts = Object.assign({}, own, picked(evidence, OWN));
  return {
    shared: { facts, finding, ...(Object.keys(traits).length > 0 && { traits }) },
    own: Object.keys(parts).length > 0 ? parts : null,
  };
}

const OWN = ["suggestion", "outcome"] as const satisfies readonly (keyof Evidence)[];

/** `inspection` is that of the email as it is now. */
export function restoredEvidence(inspection: Evidence, { shared, own }: StoredEvidence): Evidence {
  const evidence: Evidence = picked(inspection, FROM_TEXT) as Evidence;
  const { words, adjudication, shared: ofRecheck, ...rest } = own ?? {};
  const common = ofRecheck ?? shared;
  if (common) {
    const ofAddress = { ...(words && { words }), ...(adjudication && { adjudication }) };
    const { facts, finding, traits } = common;
    Object.assign(
      evidence,
      traits,
      joinEvidence(inspection.address?.normalized ?? "", expanded(facts), finding ?? null, ofAddress),
    );
  }
  return Object.assign(evidence, rest);
}

/** Evidence of a recheck, all at the row itself. */
export function recheckedEvidence(stored: StoredEvidence | undefined): OwnPart | null {
  return stored?.shared ? { ...stored.own, shared: stored.shared } : (stored?.own ?? null);
}

/** Rows of one insert: shared evidence only at the first row that has it. */
export function shareEvidence(
  rows: readonly { row: number; status: string; stored: StoredEvidence | undefined }[],
): EvidenceColumns[] {
  const rowOf = new Map<string, number>();
  return rows.map(({ row, status, stored }) => {
    const shared = stored?.shared ?? null;
    const own_evidence = stored?.own ?? null;
    if (!shared) return { evidence_row: null, evidence: null, own_evidence };
    // A result that is unknown may be replaced by a later check. So others do not refer to it.
    const { facts, ...others } = shared;
    const key = `${status === "unknown"} ${factsJson(facts)} ${JSON.stringify(others)}`;
    const first = rowOf.get(key);
    if (first !== undefined) return { evidence_row: first, evidence: null, own_evidence };
    rowOf.set(key, row);
    return { evidence_row: null, evidence: { ...shared, facts: compacted(facts) }, own_evidence };
  });
}

/** Without what is the same at nearly every domain: flags of the route that are false, and the host that refused the decoy. */
function compacted(facts: SharedFacts): SharedFacts {
  const { route, decoy, ...rest } = facts;
  const compact: Record<string, unknown> = rest;
  if (route?.kind === "mail_hosts") {
    const { implicit, isPartial, ...others } = route;
    compact.route = { ...others, ...(implicit && { implicit }), ...(isPartial && { isPartial }) };
  } else if (route) compact.route = route;
  if (decoy) {
    const { mxHost, ...others } = decoy;
    compact.decoy = decoy.reply && mxHost === facts.mxHost ? others : decoy;
  }
  return compact as SharedFacts;
}

function expanded({ route, decoy, ...facts }: SharedFacts): SharedFacts {
  const expanded: SharedFacts = facts;
  if (route?.kind === "mail_hosts") expanded.route = { ...NO_FLAGS, ...route };
  else if (route) expanded.route = route;
  // A reply comes from a host; a decoy without one has none.
  if (decoy?.reply && facts.mxHost !== undefined) expanded.decoy = { mxHost: facts.mxHost, ...decoy };
  else if (decoy) expanded.decoy = decoy;
  return expanded;
}

const NO_FLAGS = { implicit: false, isPartial: false };

export type EvidenceColumns = {
  evidence_row: number | null;
  evidence: SharedEvidence | null;
  own_evidence: OwnPart | null;
};

function picked<T extends object, Name extends keyof T>(
  from: T,
  names: readonly Name[],
): Partial<Pick<T, Name>> {
  const part: Partial<Pick<T, Name>> = {};
  for (const name of names) if (from[name] !== undefined) part[name] = from[name];
  return part;
}
