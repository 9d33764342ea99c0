/**
 * The first look at an address, without asking anyone: syntax, spelling, and what the reference lists
 * say about its domain and its mailbox name.
 */
import { parseAddress } from "./address/address.ts";
import { canonicalEmail } from "./address/canonical.ts";
import { providerSyntaxError } from "./address/provider-rules.ts";
import { specialUseOf } from "./address/special-use.ts";
import { suggestDomain, suggestForSingleLabel } from "./address/suggestion.ts";
import type { AddressSyntaxError } from "./address/syntax-error.ts";
import type { Evidence } from "./evidence.ts";
import type { NameModel } from "./plausibility/name-model.ts";
import { hasReadableName } from "./plausibility/plausibility.ts";
import type { Disposables } from "./reference/disposable.ts";
import { isFreeProvider } from "./reference/free-providers.ts";
import { isPrivacyRelay } from "./reference/privacy-relays.ts";
import { roleOf } from "./reference/roles.ts";

export type InspectionDeps = {
  disposables: Disposables;
  exemptSpecialUse?: readonly string[];
  /** Reads mailbox names. Without one, AI enhancement is off. */
  nameModel?: NameModel;
};
export type Inspect = (email: string) => Evidence;

/** The domains of a list repeat themselves; what the lists say of one is looked up once, and forgotten in bulk. */
const MAX_DOMAINS = 20_000;

export function createInspection(deps: InspectionDeps): Inspect {
  const views = new Map<string, DomainView>();
  let generation = deps.disposables.generation;
  const viewOf = (domain: string): DomainView => {
    if (generation !== deps.disposables.generation) {
      views.clear();
      generation = deps.disposables.generation;
    }
    const known = views.get(domain);
    if (known) return known;
    const view = lookAt(domain, deps);
    if (views.size >= MAX_DOMAINS) views.clear();
    views.set(domain, view);
    return view;
  };
  return (email) => {
    const parsed = parseAddress(email);
    if (!parsed.ok) return malformed(email, parsed.complaint);

    const { address } = parsed;
    const { local, domain } = address;
    if (address.isIpLiteral) return { email, address, canonical: address.normalized, specialUse: IP_LITERAL };

    const view = viewOf(domain);
    const { canonical, isSubaddressed } = canonicalEmail(local, domain);
    const { isFree, isPrivacyRelay } = view;
    const evidence: Evidence = { email, address, canonical, isSubaddressed, isFree, isPrivacyRelay };
    if (view.specialUse !== undefined) evidence.specialUse = view.specialUse;
    if (view.disposable !== undefined) evidence.disposable = view.disposable;
    if (view.meant !== undefined) evidence.suggestion = { email: `${local}@${view.meant}`, lookAlike: true };
    const role = roleOf(address.normalized.slice(0, -domain.length - 1));
    if (role !== undefined) evidence.role = role;
    // postmaster@ and its kin exist everywhere, whatever names a provider gives to people.
    const providerComplaint = role === "protocol" ? undefined : providerSyntaxError(local, domain);
    if (providerComplaint !== undefined) evidence.providerComplaint = providerComplaint;
    readName(evidence, deps.nameModel);
    return evidence;
  };
}

const IP_LITERAL = "an IP address stands in for a domain";

/** What can be said of every mailbox at a domain. */
type DomainView = {
  specialUse: string | undefined;
  disposable: "own_list" | "domain" | undefined;
  isPrivacyRelay: boolean;
  isFree: boolean;
  /** The domain that was probably meant. */
  meant: string | undefined;
};

function lookAt(domain: string, { disposables, exemptSpecialUse }: InspectionDeps): DomainView {
  const meant = suggestDomain(domain)?.domain;
  // Domains one slip away from a giant stand in the lists of throw-away ones, where they do not belong: somebody
  // catches misdirected mail there. Whoever typed one meant the giant.
  const isListed = meant === undefined && disposables.isDisposableDomain(domain);
  return {
    specialUse: specialUseOf(domain, exemptSpecialUse),
    disposable: disposables.isDenied(domain) ? "own_list" : isListed ? "domain" : undefined,
    isPrivacyRelay: isPrivacyRelay(domain),
    isFree: isFreeProvider(domain),
    meant,
  };
}

/** What the text has settled already, or what nobody chose as his name, needs no opinion. */
function readName(evidence: Evidence, model: NameModel | undefined): void {
  if (!model) {
    evidence.ignoresName = true;
    return;
  }
  const { specialUse, providerComplaint } = evidence;
  if (specialUse !== undefined || providerComplaint !== undefined || !hasReadableName(evidence)) return;
  const opinion = model.judge(evidence.address!.local);
  if (opinion) evidence.nameOpinion = opinion;
}

/** An address can often be seen through the mistake. */
function malformed(email: string, complaint: AddressSyntaxError): Evidence {
  const meant = seenThrough(email, complaint);
  return {
    email,
    complaint,
    ...(meant === undefined ? {} : { suggestion: { email: meant, lookAlike: false } }),
  };
}

function seenThrough(email: string, { rule, position }: AddressSyntaxError): string | undefined {
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
      const meant = suggestForSingleLabel(email.slice(position).trim().toLowerCase());
      return meant && wellFormed(`${email.slice(0, position)}${meant.domain}`);
    }
    default:
      return undefined;
  }
}

function wellFormed(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed.ok ? `${parsed.address.local}@${parsed.address.unicodeDomain}` : undefined;
}
