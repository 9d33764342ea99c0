/**
 * Egress identities: a source address or proxy with its EHLO name and MAIL FROM, each with limits of its own at every
 * mail host. One comes from SOURCE_ADDRESS, SOCKS_PROXY, EHLO_NAME and MAIL_FROM, or any number from EGRESS_FILE
 * (identity-file.ts).
 *
 * Data only. Which identity opens a session is decided in ../smtp/identity-set.ts.
 */
import type { Egress } from "../smtp/client/connect.ts";

export type EgressIdentity = Egress & {
  name: string;
  /** Slugs of the mail providers that it connects to; undefined for all. */
  providers?: readonly string[];
  /** Relative weight among the identities. */
  share: number;
  /** Sessions a day (UTC) with all mail hosts together. */
  sessionsPerDay?: number;
  /** The only process that uses it, and paces it in memory; undefined where all processes share it. */
  owner?: string;
  /** Sessions are counted and admitted one by one (../smtp/throttle/session-gate.ts); not for a single identity. */
  isCounted?: true;
};

/** Its limiter keys are the plain ones, so that nothing changes for an installation with one identity. */
export const DEFAULT_IDENTITY = "default";

const SEPARATOR = " from ";

/** The key of the limiter of an identity at a host, or at a provider with all its hosts. Names have no spaces. */
export function limiterKeyOf(key: string, identity: string): string {
  return identity === DEFAULT_IDENTITY ? key : `${key}${SEPARATOR}${identity}`;
}

export function partsOfLimiterKey(limiterKey: string): { key: string; identity: string } {
  const at = limiterKey.lastIndexOf(SEPARATOR);
  return at < 0
    ? { key: limiterKey, identity: DEFAULT_IDENTITY }
    : { key: limiterKey.slice(0, at), identity: limiterKey.slice(at + SEPARATOR.length) };
}

export function servesProvider({ providers }: EgressIdentity, provider: string): boolean {
  return providers === undefined || providers.includes(provider);
}

/** Where connections of an identity come from, without the password of a proxy. */
export function originOf({ sourceAddress, proxy }: Egress): string {
  if (proxy) return `socks5://${proxy.host.includes(":") ? `[${proxy.host}]` : proxy.host}:${proxy.port}`;
  return sourceAddress ?? "the address of this machine";
}
