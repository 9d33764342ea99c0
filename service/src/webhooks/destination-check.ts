/**
 * Checks where a webhook may be sent, and from where a file may be fetched: a public address, over HTTPS, without credentials in the URL.
 *
 * Customers choose the URL, and its DNS records may change at any time (SSRF, DNS rebinding). So the name is resolved
 * here, every address is checked, and the sender connects to a checked address only. Public ones have few ports, so that no
 * other service is reached in the operator's name (OUTGOING_PORTS). Ranges opened by the operator (EGRESS_ALLOW) are allowed
 * too, also over plain HTTP and at every port.
 *
 * A name without an address and one with a private address are rejected alike, and after the same lookups: the difference
 * would tell customers which names exist in the operator's network.
 */
import { isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createEgressGuard, type EgressGuard, type Resolver } from "@mailvet/engine";

export type Destination = {
  url: URL;
  /** Host name or IP address, without brackets. */
  host: string;
  /** Allowed addresses, at least one. */
  addresses: readonly string[];
};

/** Why it is not allowed, as a sentence for the owner. */
export type RejectedDestination = { rejection: string };

/** What a URL is for, and in which mode. */
export type UrlUse = { isTest: boolean; kind: "endpoint" | "job" | "link" };

export type CheckDestination = (url: string, use: UrlUse) => Promise<Destination | RejectedDestination>;

export type DestinationCheckDeps = {
  resolver: Pick<Resolver, "query">;
  egressAllow: readonly string[];
  /** Of public addresses. */
  outgoingPorts: readonly number[];
};

const MAX_ADDRESSES = 8;
/** How long to wait for AAAA once A has been answered. */
const IPV6_GRACE_MS = 1000;

export function createDestinationCheck({
  resolver,
  egressAllow,
  outgoingPorts,
}: DestinationCheckDeps): CheckDestination {
  const guard = createEgressGuard({ allow: egressAllow });
  const publicOnly = createEgressGuard();

  return async (text, use) => {
    if (use.isTest && use.kind !== "endpoint") return rejected(TEST_MODE);
    const url = readUrl(text);
    if ("rejection" in url) return url;
    const notPublic = publicRejection(url, outgoingPorts);
    if (notPublic && egressAllow.length === 0) return rejected(notPublic);
    const host = hostIn(url);
    const found = await permittedAddresses(resolver, guard, host);
    if ("rejection" in found) return found;
    const addresses = found.addresses.slice(0, MAX_ADDRESSES);
    if (notPublic && addresses.some(publicOnly.permits)) return rejected(notPublic);
    return { url, host, addresses };
  };
}

/** The only part of a URL that is logged: the rest may contain secrets. */
export function hostOf(text: string): string {
  return URL.canParse(text) ? new URL(text).host : "(no URL)";
}

function readUrl(text: string): URL | RejectedDestination {
  if (!URL.canParse(text)) return rejected("Not a valid URL.");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return rejected(HTTPS_ONLY);
  if (url.username || url.password) return rejected("The URL must not contain a user name or a password.");
  if (text.includes("#")) return rejected("The URL must not contain a fragment (#).");
  return url;
}

/** Why the URL can be that of an address in EGRESS_ALLOW only. */
function publicRejection({ protocol, port }: URL, allowed: readonly number[]): string | undefined {
  if (protocol === "http:") return HTTPS_ONLY;
  if (allowed.includes(Number(port) || 443)) return undefined;
  return `Port ${port || 443} is not allowed, only ${allowed.join(", ")}.`;
}

/** `[::1]` → `::1`; a name without its trailing dot. */
function hostIn({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

async function permittedAddresses(
  resolver: DestinationCheckDeps["resolver"],
  guard: EgressGuard,
  host: string,
): Promise<{ addresses: readonly string[] } | RejectedDestination> {
  if (isIP(host) !== 0) {
    if (guard.permits(host)) return { addresses: [host] };
    return rejected(`Connections to the address ${host} are not allowed (${guard.refusal(host)}).`);
  }
  const answers = IS_LOCALHOST.test(host) ? LOCALHOST : await lookUp(resolver, guard, host);
  const addresses = answers
    .flatMap((answer) => (answer?.status === "answer" ? answer.records : []))
    .filter(guard.permits);
  if (addresses.length > 0) return { addresses };
  const hasFailed = answers.some((answer) => answer !== undefined && !CONCLUSIVE.has(answer.status));
  return rejected(hasFailed ? `${host} could not be resolved.` : `${host} has no public IP address.`);
}

const CONCLUSIVE: ReadonlySet<string> = new Set(["answer", "nxdomain", "nodata"]);

/** A, and AAAA unless it takes long and is not needed. */
async function lookUp(resolver: DestinationCheckDeps["resolver"], guard: EgressGuard, host: string) {
  const ipv6Query = resolver.query(host, "AAAA");
  const ipv4 = await resolver.query(host, "A");
  const isSufficient = ipv4.status === "answer" && ipv4.records.some(guard.permits);
  const ipv6 = await (isSufficient
    ? Promise.race([ipv6Query, pause(IPV6_GRACE_MS, undefined, { ref: false })])
    : ipv6Query);
  return [ipv4, ipv6];
}

/** RFC 6761 section 6.3: resolved without a DNS query. */
const IS_LOCALHOST = /^(?:.+\.)?localhost$/;
const LOCALHOST = [{ status: "answer" as const, records: ["127.0.0.1", "::1"] }];

/** The one rule: its endpoints are how webhooks are tried out; everything else in test mode is simulated or refused. */
const TEST_MODE = "Test mode makes no connections, except to webhook endpoints added in test mode.";
const HTTPS_ONLY = "The URL must begin with https://.";
const rejected = (rejection: string): RejectedDestination => ({ rejection });
