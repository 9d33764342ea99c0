/**
 * Opens a TCP connection to a mail host: to the address that was resolved and passed the egress guard, from the
 * configured source address or through the configured proxy, within a timeout. Every failure is a value.
 *
 * Speaks neither SMTP (connection.ts) nor SOCKS5 (socks.ts).
 */
import { connect, type Socket } from "node:net";
import type { EgressGuard } from "../../egress/guard.ts";
import { type SocksProxy, type SocksTarget, socksHandshake } from "./socks.ts";

/** How mail servers see us: our names, and where connections come from. */
export type Egress = {
  /** The EHLO name; should be the PTR name of the address that servers see. */
  ehloName: string;
  /** The address in MAIL FROM. */
  mailFrom: string;
  sourceAddress?: string;
  proxy?: SocksProxy;
};

export type ConnectResult =
  | { kind: "connected"; socket: Socket }
  /** The egress guard rejects the address. */
  | { kind: "forbidden" }
  /** `isLocal` when it failed on our own side, before the mail host was reached. */
  | { kind: "unreachable"; why: string; isLocal?: true }
  | { kind: "timeout" };

/** `signal` aborts the attempt; an established connection is closed by the caller. */
export type Connect = (address: string, timeoutMs: number, signal?: AbortSignal) => Promise<ConnectResult>;

export function createConnect(options: {
  guard: Pick<EgressGuard, "permits">;
  port: number;
  egress: Pick<Egress, "sourceAddress" | "proxy">;
}): Connect {
  const { guard, port, egress } = options;
  return async (address, timeoutMs, signal) => {
    if (!guard.permits(address)) return { kind: "forbidden" };
    if (egress.proxy) return connectThroughProxy(egress.proxy, { address, port }, timeoutMs, signal);
    const { sourceAddress } = egress;
    const from = sourceAddress === undefined ? {} : { localAddress: sourceAddress };
    return connected(connect({ host: address, port, noDelay: true, ...from }), timeoutMs, signal);
  };
}

async function connectThroughProxy(
  proxy: SocksProxy,
  target: SocksTarget,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ConnectResult> {
  const deadline = Date.now() + timeoutMs;
  const reached = await connected(
    connect({ host: proxy.host, port: proxy.port, noDelay: true }),
    timeoutMs,
    signal,
  );
  if (reached.kind !== "connected") {
    const why = reached.kind === "unreachable" ? reached.why : "it does not answer";
    return { kind: "unreachable", why: `no connection to the proxy: ${why}`, isLocal: true };
  }

  const { socket } = reached;
  const abort = () => destroySocket(socket); // and the handshake fails
  signal?.addEventListener("abort", abort);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<{ kind: "timeout" }>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "timeout" }), Math.max(1, deadline - Date.now()));
  });
  const result = await Promise.race([socksHandshake(socket, proxy, target), timeout]);
  clearTimeout(timer);
  signal?.removeEventListener("abort", abort);
  if (result.kind === "connected") return { kind: "connected", socket };
  destroySocket(socket);
  return result;
}

/** Waits until the socket is connected or has failed, the time is up, or `signal` aborts. */
function connected(socket: Socket, timeoutMs: number, signal?: AbortSignal): Promise<ConnectResult> {
  return new Promise((resolve) => {
    const abort = () => settle({ kind: "unreachable", why: "aborted", isLocal: true });
    const timer = setTimeout(() => settle({ kind: "timeout" }), timeoutMs);
    const onConnect = () => settle({ kind: "connected", socket });
    const onError = (error: NodeJS.ErrnoException) => {
      const timedOut = error.code === "ETIMEDOUT";
      if (timedOut) return settle({ kind: "timeout" });
      const isLocal = error.code === "EADDRNOTAVAIL"; // the source address is not one of this machine
      settle({ kind: "unreachable", why: error.code ?? error.message, ...(isLocal && { isLocal }) });
    };
    function settle(result: ConnectResult): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      socket.off("connect", onConnect);
      socket.off("error", onError);
      if (result.kind !== "connected") destroySocket(socket);
      resolve(result);
    }
    signal?.addEventListener("abort", abort);
    socket.once("connect", onConnect);
    socket.once("error", onError);
  });
}

/** Destroys a socket and ignores its errors from now on. */
export function destroySocket(socket: Socket): void {
  socket.on("error", () => {});
  socket.destroy();
}
