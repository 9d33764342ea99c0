/**
 * Offline inspection of an address: syntax, typo suggestion, and the reference lists for its domain and local part.
 */
import { parseAddress } from "./address/address.ts";
import { canonicalEmail } from "./address/canonical-email.ts";
import { providerSyntaxError } from "./address/provider-rules.ts";
import { specialUseOf } from "./address/special-use-domains.ts";
import { suggestDomain, suggestForSingleLabel } from "./address/suggestion.ts";
import type { AddressSyntaxError } from "./address/syntax-error.ts";
import type { Evidence } from "./evidence.ts";
import type { NameModel, NameScore } from "./plausibility/name-model/name-model.ts";
import { hasScorableName } from "./plausibility/plausibility.ts";
import type { Disposables } from "./reference/disposable.ts";
import { isFreeProvider } from "./reference/free-providers.ts";
import { isAgentMailbox, isPrivacyRelay } from "./reference/relays-and-agents.ts";
import { roleOf } from "./reference/role-addresses.ts";

export type InspectionDeps = {
  disposables: Pick<Disposables, "isDenied" | "isDisposableDomain" | "generation">;
  exemptSpecialUse?: readonly string[];
  /** Scores local parts. AI enhancement is off without it. */
  nameModel?: NameModel;
};
export type Inspect = (email: string) => Evidence;

/** Lists repeat their domains and local parts, so what depends on one of them is cached. A full cache is dropped whole. */
const MAX_DOMAINS = 20_000;
const MAX_LOCAL_PARTS = 20_000;

export function createInspection(deps: InspectionDeps): Inspect {
  const cache = new Map<string, DomainEvidence>();
  let generation = deps.disposables.generation;
  const domainEvidenceOf = (domain: string): DomainEvidence => {
    if (generation !== deps.disposables.generation) {
      cache.clear();
      generation = deps.disposables.generation;
    }
    const known = cache.get(domain);
    if (known) return known;
    const domainEvidence = inspectDomain(domain, deps);
    if (cache.size >= MAX_DOMAINS) cache.clear();
    cache.set(domain, domainEvidence);
    return domainEvidence;
  };
  const scoreOf = deps.nameModel && cachedScores(deps.nameModel);
  return (email) => {
    const parsed = parseAddress(email);
    if (!parsed.ok) return malformedEvidence(email, parsed.error);

    const { address } = parsed;
    const { local, domain } = address;
    if (address.isIpLiteral) return { email, address, canonical: address.normalized, specialUse: IP_LITERAL };

    const domainEvidence = domainEvidenceOf(domain);
    const { canonical, isSubaddressed } = canonicalEmail(local, domain);
    const { isFree, isPrivacyRelay } = domainEvidence;
    const evidence: Evidence = { email, address, canonical, isSubaddressed, isFree, isPrivacyRelay };
    if (domainEvidence.isAgentMailbox) evidence.isAgentMailbox = true;
    if (domainEvidence.specialUse !== undefined) evidence.specialUse = domainEvidence.specialUse;
    if (domainEvidence.disposable !== undefined) evidence.disposable = domainEvidence.disposable;
    if (domainEvidence.suggestedDomain !== undefined)
      evidence.suggestion = { email: `${local}@${domainEvidence.suggestedDomain}`, lookAlike: true };
    const role = roleOf(address.normalized.slice(0, -domain.length - 1));
    if (role !== undefined) evidence.role = role;
    // postmaster@ and the other RFC 2142 names exist everywhere, whatever rules a provider has for personal
    // mailboxes.
    const providerError = role === "protocol" ? undefined : providerSyntaxError(local, domain);
    if (providerError !== undefined) evidence.providerSyntaxError = providerError;
    scoreLocalPart(evidence, scoreOf);
    return evidence;
  };
}

const IP_LITERAL = "the domain is an IP address";

/** What applies to every mailbox at a domain. */
type DomainEvidence = {
  specialUse: string | undefined;
  disposable: "own_list" | "domain" | undefined;
  isPrivacyRelay: boolean;
  isAgentMailbox: boolean;
  isFree: boolean;
  /** The domain that was probably intended. */
  suggestedDomain: string | undefined;
};

function inspectDomain(domain: string, { disposables, exemptSpecialUse }: InspectionDeps): DomainEvidence {
  const suggestedDomain = suggestDomain(domain)?.domain;
  // Typo domains of large providers appear in disposable lists because they collect misdirected mail. The suggestion
  // is more useful than calling the address disposable.
  const isListed = suggestedDomain === undefined && disposables.isDisposableDomain(domain);
  return {
    specialUse: specialUseOf(domain, exemptSpecialUse),
    disposable: disposables.isDenied(domain) ? "own_list" : isListed ? "domain" : undefined,
    isPrivacyRelay: isPrivacyRelay(domain),
    isAgentMailbox: isAgentMailbox(domain),
    isFree: isFreeProvider(domain),
    suggestedDomain,
  };
}

/** Skipped where the text has settled the verdict, and for names no person chose (roles, relays, agents, disposable). */
function scoreLocalPart(evidence: Evidence, scoreOf: NameModel["judge"] | undefined): void {
  if (!scoreOf) {
    evidence.ignoresName = true;
    return;
  }
  const { specialUse, providerSyntaxError } = evidence;
  if (specialUse !== undefined || providerSyntaxError !== undefined || !hasScorableName(evidence)) return;
  const nameScore = scoreOf(evidence.address!.local);
  if (nameScore) evidence.nameScore = nameScore;
}

function cachedScores(model: NameModel): NameModel["judge"] {
  const cache = new Map<string, NameScore | undefined>();
  return (local) => {
    const known = cache.get(local);
    if (known !== undefined || cache.has(local)) return known;
    const score = model.judge(local);
    if (cache.size >= MAX_LOCAL_PARTS) cache.clear();
    cache.set(local, score);
    return score;
  };
}

/** Many malformed inputs still show which address was intended. */
function malformedEvidence(email: string, syntaxError: AddressSyntaxError): Evidence {
  const suggested = intendedAddress(email, syntaxError);
  return {
    email,
    syntaxError,
    ...(suggested === undefined ? {} : { suggestion: { email: suggested, lookAlike: false } }),
  };
}

function intendedAddress(email: string, { rule, position }: AddressSyntaxError): string | undefined {
  switch (rule) {
    case "display_name": // Ann Lee <ann@example.com>
      return wellFormed(email.slice(email.lastIndexOf("<") + 1, email.lastIndexOf(">")));
    case "local_character": // mailto:ann@example.com
      return /^\s*mailto:/i.test(email) ? wellFormed(email.replace(/^\s*mailto:/i, "")) : undefined;
    case "domain_trailing_dot":
      return wellFormed(email.trimEnd().replace(/\.+$/, ""));
    case "domain_double_dot":
    case "local_double_dot":
      return wellFormed(email.slice(0, 1024).replace(/\.{2,}/g, "."));
    case "domain_single_label": {
      const suggestedDomain = suggestForSingleLabel(email.slice(position).trim().toLowerCase());
      return suggestedDomain && wellFormed(`${email.slice(0, position)}${suggestedDomain.domain}`);
    }
    default:
      return undefined;
  }
}

function wellFormed(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed.ok ? `${parsed.address.local}@${parsed.address.unicodeDomain}` : undefined;
}
