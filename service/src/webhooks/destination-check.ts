/**
 * Checks where a webhook may be sent: a public address, over HTTPS, without credentials in the URL.
 *
 * Customers choose the URL, and its DNS records may change at any time (SSRF, DNS rebinding). So the name is resolved
 * here, every address is checked, and the sender connects to a checked address only. Ranges opened by the operator
 * (EGRESS_ALLOW) are allowed too, also over plain HTTP.
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

export type CheckDestination = (url: string) => Promise<Destination | RejectedDestination>;

export type DestinationCheckDeps = { resolver: Pick<Resolver, "query">; egressAllow: readonly string[] };

const MAX_ADDRESSES = 8;
/** How long to wait for AAAA once A has been answered. */
const IPV6_GRACE_MS = 1000;

export function createDestinationCheck({ resolver, egressAllow }: DestinationCheckDeps): CheckDestination {
  const guard = createEgressGuard({ allow: egressAllow });
  const publicOnly = createEgressGuard();

  return async (text) => {
    const url = readUrl(text);
    if ("rejection" in url) return url;
    const host = hostIn(url);
    const found = await addressesOf(resolver, host);
    if ("rejection" in found) return found;
    const addresses = found.addresses.filter(guard.permits).slice(0, MAX_ADDRESSES);
    if (addresses.length === 0) return rejected(rejectionOf(guard, host, found.addresses));
    if (url.protocol === "http:" && addresses.some(publicOnly.permits)) {
      return rejected("The URL must begin with https://.");
    }
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
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return rejected("The URL must begin with https://.");
  if (url.username || url.password) return rejected("The URL must not contain a user name or a password.");
  if (text.includes("#")) return rejected("The URL must not contain a fragment (#).");
  return url;
}

/** `[::1]` → `::1`; a name without its trailing dot. */
function hostIn({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

async function addressesOf(
  resolver: DestinationCheckDeps["resolver"],
  host: string,
): Promise<{ addresses: readonly string[] } | RejectedDestination> {
  if (isIP(host) !== 0) return { addresses: [host] };
  if (IS_LOCALHOST.test(host)) return { addresses: ["127.0.0.1", "::1"] };
  const ipv6Query = resolver.query(host, "AAAA");
  const ipv4 = await resolver.query(host, "A");
  const hasIpv4 = ipv4.status === "answer";
  const ipv6 = await (hasIpv4
    ? Promise.race([ipv6Query, pause(IPV6_GRACE_MS, undefined, { ref: false })])
    : ipv6Query);
  const answers = [ipv4, ipv6];
  const addresses = answers.flatMap((answer) => (answer?.status === "answer" ? answer.records : []));
  if (addresses.length > 0) return { addresses };
  const isNegative = answers.every((answer) => answer?.status === "nxdomain" || answer?.status === "nodata");
  return rejected(isNegative ? `${host} has no IP address.` : `${host} could not be resolved.`);
}

/** RFC 6761 section 6.3: resolved without a DNS query. */
const IS_LOCALHOST = /^(?:.+\.)?localhost$/;

function rejectionOf(guard: EgressGuard, host: string, addresses: readonly string[]): string {
  const kind = guard.refusal(addresses[0]!);
  return isIP(host) === 0
    ? `${host} resolves to an address that webhooks may not be sent to (${kind}).`
    : `Webhooks may not be sent to the address ${host} (${kind}).`;
}

const rejected = (rejection: string): RejectedDestination => ({ rejection });
