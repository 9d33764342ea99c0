/**
 * Opens a TCP connection to a mail host: to the very address that was resolved and judged, from the source
 * address or through the proxy of our egress, within a time limit. Whatever goes wrong is a value.
 */
import { connect } from "node:net";
import type { EgressGuard } from "../egress/guard.ts";
import { type ConnectResult, connected } from "./connect-result.ts";
import { connectThroughSocks, type SocksProxy } from "./socks.ts";

/** The way out of this installation: who we say we are, and where our connections come from. */
export type Egress = {
  /** The name we greet with; should be the reverse DNS of the address that servers see. */
  ehloName: string;
  /** The sender we name. */
  mailFrom: string;
  sourceAddress?: string;
  proxy?: SocksProxy;
};

/** `givingUp` ends the attempt; a connection that has come about is the caller's to end. */
export type Connect = (address: string, timeoutMs: number, givingUp?: AbortSignal) => Promise<ConnectResult>;

export function createConnect(options: {
  guard: Pick<EgressGuard, "permits">;
  port: number;
  egress: Pick<Egress, "sourceAddress" | "proxy">;
}): Connect {
  const { guard, port, egress } = options;
  return async (address, timeoutMs, givingUp) => {
    if (!guard.permits(address)) return { kind: "forbidden" };
    if (egress.proxy) return connectThroughSocks(egress.proxy, { address, port }, timeoutMs, givingUp);
    const { sourceAddress } = egress;
    const from = sourceAddress === undefined ? {} : { localAddress: sourceAddress };
    return connected(connect({ host: address, port, noDelay: true, ...from }), timeoutMs, givingUp);
  };
}
