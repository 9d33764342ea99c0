/**
 * Evidence as it is cached: what DNS and mail servers answered, without what the inspection of the text yields.
 *
 * The text is inspected for every request. So cached evidence does not name the address (though a server's reply may quote
 * it), the current reference lists apply, and an answer has the spelling of its request.
 */
import type { Evidence } from "@mailvet/engine";

export type CachedEvidence = Pick<
  Evidence,
  "route" | "policies" | "provider" | "mailbox" | "decoy" | "naming" | "adjudication"
> & {
  /** By the mail host; by the domain it is part of the inspection. */
  disposable?: "mail_host";
  isPrivacyRelay?: true;
};

/** Longer than what is displayed, short enough to cache thousands. */
const MAX_REPLY_CHARACTERS = 400;

export function cachedPartOf(evidence: Evidence): CachedEvidence {
  const { route, policies, provider, mailbox, decoy, naming, adjudication } = evidence;
  const cached: CachedEvidence = {};
  if (route) cached.route = cachedRoute(route);
  if (policies) cached.policies = cachedPolicies(policies);
  if (provider !== undefined) cached.provider = provider;
  if (mailbox) cached.mailbox = withShortReply(mailbox);
  if (decoy) cached.decoy = withShortReply(decoy);
  if (naming) cached.naming = naming;
  if (adjudication) cached.adjudication = adjudication;
  if (evidence.disposable === "mail_host") cached.disposable = evidence.disposable;
  if (evidence.isPrivacyRelay) cached.isPrivacyRelay = true;
  return cached;
}

/** The current inspection, with evidence found for the same address under this or another spelling. */
export function mergeEvidence(inspection: Evidence, found: CachedEvidence | Evidence): Evidence {
  // Spreading two objects into one takes six times as long.
  const evidence: Evidence = Object.assign({}, found, inspection);
  if (found.isPrivacyRelay) evidence.isPrivacyRelay = true; // may be known from the mail host only
  return evidence;
}

/** One copy for the many addresses of a domain, which share the original. */
function sharedCopy<T extends object>(copyOf: (original: T) => T): (original: T) => T {
  const copies = new WeakMap<T, T>();
  return (original) => {
    let copy = copies.get(original);
    if (!copy) {
      copy = copyOf(original);
      copies.set(original, copy);
    }
    return copy;
  };
}

type Policies = NonNullable<Evidence["policies"]>;

const cachedPolicies = sharedCopy(withoutRecords);

function withoutRecords({ spf, dmarc, mtaSts }: Policies): Policies {
  return { spf, dmarc, mtaSts };
}

type Route = NonNullable<Evidence["route"]>;

const cachedRoute = sharedCopy(withFirstHost);

/** Cached routes are only displayed, so one host name is enough. */
function withFirstHost(route: Route): Route {
  switch (route.kind) {
    case "mail_hosts": {
      const { unresolved: _, hosts, ...shown } = route;
      return { ...shown, hosts: hosts.slice(0, 1).map((host) => ({ ...host, addresses: [] })) };
    }
    case "dns_error":
      return { ...route, hosts: route.hosts.slice(0, 1).map(storable) };
    default:
      return route;
  }
}

function withShortReply<T extends Pick<NonNullable<Evidence["mailbox"]>, "reply">>(finding: T): T {
  if (!finding.reply) return finding;
  const text = storable(finding.reply.text);
  return text === finding.reply.text ? finding : { ...finding, reply: { ...finding.reply, text } };
}

/** A server's text as PostgreSQL can store it: without NUL and without lone surrogates. */
function storable(text: string): string {
  return text.slice(0, MAX_REPLY_CHARACTERS).replace(/\p{C}+/gu, " ");
}
