/**
 * Evidence as it is kept: what others told us, without what can be read from the text itself.
 *
 * The text is read anew with every question. So what is kept names no address (a server's reply may quote it), the
 * reference lists of today have their say, and an answer carries the spelling of whoever asks.
 */
import type { Evidence } from "@mailvet/engine";

export type CachedEvidence = Pick<
  Evidence,
  "route" | "policies" | "provider" | "mailbox" | "decoy" | "naming" | "adjudication"
> & {
  /** Told by the mail host; what the domain's name tells is read from the text. */
  disposable?: "mail_host";
  isPrivacyRelay?: true;
};

/** Longer than what anyone is shown, short enough to keep thousands. */
const MAX_REPLY_CHARACTERS = 400;

export function keep(evidence: Evidence): CachedEvidence {
  const { route, policies, provider, mailbox, decoy, naming, adjudication } = evidence;
  return {
    ...(route && { route: withFirstHost(route) }),
    ...(policies && { policies: withoutRecords(policies) }),
    ...(provider !== undefined && { provider }),
    ...(mailbox && { mailbox: withShortReply(mailbox) }),
    ...(decoy && { decoy: withShortReply(decoy) }),
    ...(naming && { naming }),
    ...(adjudication && { adjudication }),
    ...(evidence.disposable === "mail_host" && { disposable: evidence.disposable }),
    ...(evidence.isPrivacyRelay && { isPrivacyRelay: true as const }),
  };
}

/** What the text says now, and what was found out about the same address: here or by another spelling of it. */
export function readWith(glance: Evidence, found: CachedEvidence | Evidence): Evidence {
  // Spreading two objects into one takes six times as long.
  const evidence: Evidence = Object.assign({}, found, glance);
  if (found.isPrivacyRelay) evidence.isPrivacyRelay = true; // the mail host may have told what the name does not
  return evidence;
}

type Policies = NonNullable<Evidence["policies"]>;

function withoutRecords({ spf, dmarc, mtaSts }: Policies): Policies {
  return { spf, dmarc, mtaSts };
}

type Route = NonNullable<Evidence["route"]>;

/** Nobody connects by memory, so of the mail hosts one name is enough to show. */
function withFirstHost(route: Route): Route {
  switch (route.kind) {
    case "mail_hosts":
      return { ...route, hosts: route.hosts.slice(0, 1).map((host) => ({ ...host, addresses: [] })) };
    case "unroutable":
    case "dns_error":
      return { ...route, hosts: route.hosts.slice(0, 1).map(storable) };
    default:
      return route;
  }
}

function withShortReply<T extends Pick<NonNullable<Evidence["mailbox"]>, "reply">>(finding: T): T {
  if (!finding.reply) return finding;
  return { ...finding, reply: { ...finding.reply, text: storable(finding.reply.text) } };
}

/** A stranger's words as PostgreSQL can take them: without NUL and without half of a surrogate pair. */
function storable(text: string): string {
  return text.slice(0, MAX_REPLY_CHARACTERS).replace(/\p{C}+/gu, " ");
}
