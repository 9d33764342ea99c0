/** Whether IPv6 addresses can be connected to from here. If not, AAAA lookups are skipped for hosts that have IPv4. */
import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Egress } from "../smtp/client/connect.ts";

/** Interfaces get their addresses some time after the start of the machine, and may lose them. */
const READ_AGAIN_MS = 60_000;

/** Returns the check for these identities. A proxy may have IPv6 where this machine has not. */
export function ipv6CheckFor(
  egress: readonly Pick<Egress, "sourceAddress" | "proxy">[],
  readInterfaces = networkInterfaces,
): () => boolean {
  const isCertain = egress.some(
    ({ proxy, sourceAddress }) => proxy || (sourceAddress !== undefined && isIPv6(sourceAddress)),
  );
  if (isCertain) return () => true;
  if (egress.every(({ sourceAddress }) => sourceAddress !== undefined)) return () => false;

  let hasIpv6 = false;
  let readAgainAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now >= readAgainAtMs) {
      readAgainAtMs = now + READ_AGAIN_MS;
      hasIpv6 = hasRoutableIpv6(readInterfaces);
    }
    return hasIpv6;
  };
}

function hasRoutableIpv6(readInterfaces: typeof networkInterfaces): boolean {
  try {
    return Object.values(readInterfaces()).some((addresses) =>
      addresses?.some((one) => one.family === "IPv6" && !one.internal && one.scopeid === 0),
    );
  } catch {
    return true; // unknown: a sandbox may forbid reading them
  }
}
