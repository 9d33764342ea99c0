/**
 * Where a webhook may be sent: an address of the public Internet, over HTTPS, without a password in its URL.
 *
 * Strangers choose the URL, and what its name stands for may change at any time. So the name is looked up by us, every
 * address is judged, and whoever sends connects to one of the judged addresses and no other. Ranges that the operator has
 * opened (EGRESS_ALLOW) are fine too, and there plain HTTP will do.
 */
import { isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createEgressGuard, type EgressGuard, type Resolver } from "@mailvet/engine";

export type Destination = {
  url: URL;
  /** The host as a name or an address, without brackets. */
  host: string;
  /** Those we may connect to, at least one. */
  addresses: readonly string[];
};

/** Why it will not do, as a sentence for its owner. */
export type RejectedDestination = { unfit: string };

export type CheckDestination = (url: string) => Promise<Destination | RejectedDestination>;

export type JudgeDeps = { resolver: Pick<Resolver, "query">; egressAllow: readonly string[] };

/** Of a name that has many. */
const MAX_ADDRESSES = 8;
/** With an IPv4 address in hand, nobody waits long for the others. */
const IPV6_GRACE_MS = 1000;

export function createDestinationCheck({ resolver, egressAllow }: JudgeDeps): CheckDestination {
  const guard = createEgressGuard({ allow: egressAllow });
  const publicOnly = createEgressGuard();

  return async (text) => {
    const url = readUrl(text);
    if ("unfit" in url) return url;
    const host = hostIn(url);
    const found = await addressesOf(resolver, host);
    if ("unfit" in found) return found;
    const addresses = found.addresses.filter(guard.permits).slice(0, MAX_ADDRESSES);
    if (addresses.length === 0) return unfit(refusalOf(guard, host, found.addresses));
    if (url.protocol === "http:" && addresses.some(publicOnly.permits)) {
      return unfit("The URL must begin with https://.");
    }
    return { url, host, addresses };
  };
}

/** All that is said about a URL in a log: the rest of it may hold secrets. */
export function hostOf(text: string): string {
  return URL.canParse(text) ? new URL(text).host : "(no URL)";
}

function readUrl(text: string): URL | RejectedDestination {
  if (!URL.canParse(text)) return unfit("This is not a URL.");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return unfit("The URL must begin with https://.");
  if (url.username || url.password) return unfit("The URL must not contain a user name or a password.");
  if (text.includes("#")) return unfit("The URL must not contain a fragment (#).");
  return url;
}

/** `[::1]` → `::1`; a name without its final dot. */
function hostIn({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

async function addressesOf(
  resolver: JudgeDeps["resolver"],
  host: string,
): Promise<{ addresses: readonly string[] } | RejectedDestination> {
  if (isIP(host) !== 0) return { addresses: [host] };
  if (IS_LOCALHOST.test(host)) return { addresses: ["127.0.0.1", "::1"] };
  const ipv6Asked = resolver.query(host, "AAAA");
  const ipv4 = await resolver.query(host, "A");
  const isEnough = ipv4.status === "answer";
  const ipv6 = await (isEnough
    ? Promise.race([ipv6Asked, pause(IPV6_GRACE_MS, undefined, { ref: false })])
    : ipv6Asked);
  const answers = [ipv4, ipv6];
  const addresses = answers.flatMap((answer) => (answer?.status === "answer" ? answer.records : []));
  if (addresses.length > 0) return { addresses };
  const isKnown = answers.every((answer) => answer?.status === "nxdomain" || answer?.status === "nodata");
  return unfit(isKnown ? `The name ${host} has no address.` : `The name ${host} could not be looked up.`);
}

/** RFC 6761: no name server is asked for it. */
const IS_LOCALHOST = /^(?:.+\.)?localhost$/;

function refusalOf(guard: EgressGuard, host: string, addresses: readonly string[]): string {
  const kind = guard.refusal(addresses[0]!);
  return isIP(host) === 0
    ? `The name ${host} leads to an address that webhooks may not be sent to (${kind}).`
    : `Webhooks may not be sent to the address ${host} (${kind}).`;
}

const unfit = (sentence: string): RejectedDestination => ({ unfit: sentence });
