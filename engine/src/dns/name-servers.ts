/**
 * The name servers and the order in which they are queried.
 *
 * The first configured one comes first, as in resolv.conf. One that did not respond while another answered is demoted
 * for a while, so that a dead first server does not slow down every lookup.
 */
import { getServers } from "node:dns";
import { isIP, isIPv6 } from "node:net";

export type NameServer = { address: string; port: number };

export type NameServers = {
  ordered(): readonly NameServer[];
  demote(server: NameServer): void;
};

const DEFAULT_PORT = 53;
const DEMOTED_MS = 30_000;

/** Servers as `ip`, `ip:port` or `[ipv6]:port`; those of the operating system by default. */
export function createNameServers(configured?: readonly string[]): NameServers {
  const texts = configured?.length ? configured : getServers();
  const servers = (texts.length > 0 ? texts : ["127.0.0.1"]).map(parseNameServer);
  const demotedUntilMs = new Map<NameServer, number>();
  const isDemoted = (server: NameServer, nowMs: number) => (demotedUntilMs.get(server) ?? 0) > nowMs;
  return {
    ordered() {
      if (demotedUntilMs.size === 0) return servers;
      const nowMs = performance.now();
      return servers.toSorted((a, b) => Number(isDemoted(a, nowMs)) - Number(isDemoted(b, nowMs)));
    },
    demote(server) {
      demotedUntilMs.set(server, performance.now() + DEMOTED_MS);
    },
  };
}

/** Throws when the text is not the address of a server. */
export function parseNameServer(text: string): NameServer {
  const trimmed = text.trim();
  if (isIP(trimmed)) return { address: trimmed, port: DEFAULT_PORT };
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::([0-9]{1,5}))?$/.exec(trimmed);
  const address = parts?.[1] ?? parts?.[2] ?? "";
  const port = Number(parts?.[3] ?? DEFAULT_PORT);
  const isAddress = parts?.[1] === undefined ? isIP(address) === 4 : isIPv6(address);
  if (!isAddress || port < 1 || port > 65_535) {
    throw new Error(`"${text}" is not the address of a name server: use ip, ip:port or [ipv6]:port`);
  }
  return { address, port };
}
