/**
 * Opens a TCP connection to a mail host: to the address that was resolved and passed the egress guard, from the
 * configured source address or through the configured proxy, within a timeout. Every failure is a value,
 * except that no socket could be opened, which is neither the host's fault nor the network's.
 *
 * Speaks neither SMTP (connection.ts) nor SOCKS5 (socks.ts).
 */
import { createSocket } from "node:dgram";
import { connect, isIPv6, type Socket } from "node:net";
import { getSystemErrorMap } from "node:util";
import type { EgressGuard } from "../../egress/guard.ts";
import { greetProxy, requestTarget, type SocksProxy, type SocksTarget } from "./socks.ts";

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
  /** None from this machine or its proxy to the address, such as without IPv6. Says nothing about the mail host. */
  | { kind: "no_route"; why: string }
  | { kind: "timeout" };

/** `onSocket` gets the socket before it is connected: destroying it ends the attempt. */
export type Connect = (
  address: string,
  timeoutMs: number,
  onSocket?: (socket: Socket) => void,
) => Promise<ConnectResult>;

export function createConnect(options: {
  guard: Pick<EgressGuard, "permits">;
  port: number;
  egress: Pick<Egress, "sourceAddress" | "proxy">;
}): Connect {
  const { guard, port, egress } = options;
  return async (address, timeoutMs, onSocket) => {
    if (!guard.permits(address)) return { kind: "forbidden" };
    if (egress.proxy) return connectThroughProxy(egress.proxy, { address, port }, timeoutMs, onSocket);
    const { sourceAddress } = egress;
    const from = sourceAddress === undefined ? {} : { localAddress: sourceAddress };
    const socket: Socket = connect({
      host: address,
      port,
      noDelay: true,
      ...from,
      onread: { buffer: readBuffer, callback: (bytes) => deliver(socket, readBuffer.subarray(0, bytes)) },
    });
    const result = await connected(socket, timeoutMs, onSocket);
    const isDoubtful = result.kind === "unreachable" && !result.isLocal && !BY_THE_HOST.has(result.why);
    if (!isDoubtful || (await hasRoute(address, sourceAddress))) return result;
    return { kind: "no_route", why: result.why };
  };
}

/** Any other error may be one of this machine. */
const BY_THE_HOST: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET"]);

/**
 * Whether this machine has a route to the address. The error does not tell: a router on the way reports ENETUNREACH too.
 * Connecting a UDP socket looks the route up, and sends nothing.
 */
function hasRoute(address: string, sourceAddress: string | undefined): Promise<boolean> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  return new Promise<boolean>((resolve) => {
    socket.once("error", () => resolve(false));
    const look = () => socket.connect(ANY_PORT, address, (error?: Error) => resolve(error === undefined));
    socket.bind(
      { ...(sourceAddress === undefined ? {} : { address: sourceAddress }), exclusive: true },
      look,
    );
  }).finally(() => socket.close());
}

const ANY_PORT = 25;

/** For all direct connections. Otherwise Node allocates 64 KiB for each chunk, of which most have a few hundred bytes. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** The bytes are overwritten by those of other connections as soon as the listeners have returned. */
function deliver(socket: Socket, bytes: Buffer): boolean {
  if (socket.listenerCount("data") === 0) return socket.push(Buffer.from(bytes)); // for a listener that is added later
  socket.emit("data", bytes);
  return true;
}

const PROXY_IS_SILENT = { kind: "unreachable", why: "the proxy does not answer", isLocal: true } as const;

async function connectThroughProxy(
  proxy: SocksProxy,
  target: SocksTarget,
  timeoutMs: number,
  onSocket?: (socket: Socket) => void,
): Promise<ConnectResult> {
  const deadline = performance.now() + timeoutMs;
  const reached = await connected(
    connect({ host: proxy.host, port: proxy.port, noDelay: true }),
    timeoutMs,
    onSocket,
  );
  if (reached.kind !== "connected") {
    const why = "why" in reached ? reached.why : "it does not answer";
    return { kind: "unreachable", why: `no connection to the proxy: ${why}`, isLocal: true };
  }

  const { socket } = reached;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<{ kind: "timeout" }>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "timeout" }), Math.max(1, deadline - performance.now()));
  });
  const silent = timeout.then(() => PROXY_IS_SILENT);
  const failure =
    (await Promise.race([greetProxy(socket, proxy), silent])) ??
    (await Promise.race([requestTarget(socket, target), timeout])); // here the proxy may be waiting for the target
  clearTimeout(timer);
  if (!failure) return { kind: "connected", socket };
  destroySocket(socket);
  return failure;
}

/** Waits until the socket is connected, has failed or is destroyed, or the time is up. */
function connected(
  socket: Socket,
  timeoutMs: number,
  onSocket?: (socket: Socket) => void,
): Promise<ConnectResult> {
  onSocket?.(socket);
  return new Promise((resolve, reject) => {
    let isSettled = false;
    // After a pause of this process, timers run before the connections that were made meanwhile are reported.
    const timer = setTimeout(() => setImmediate(() => settle({ kind: "timeout" })), timeoutMs);
    const onConnect = () => settle({ kind: "connected", socket });
    const onError = (error: NodeJS.ErrnoException) => settle(failureOf(error));
    const onClose = () => settle({ kind: "unreachable", why: "aborted", isLocal: true });
    function settle(result: ConnectResult | Error): void {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      socket.off("connect", onConnect);
      socket.off("error", onError);
      socket.off("close", onClose);
      const isError = result instanceof Error;
      if (isError || result.kind !== "connected") destroySocket(socket);
      if (isError) reject(result);
      else resolve(result);
    }
    socket.on("connect", onConnect);
    socket.on("error", onError);
    socket.on("close", onClose);
  });
}

/** Of this process or machine: these say nothing about the mail host, and may be over in a moment. */
const OUT_OF_RESOURCES: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);

function failureOf(error: NodeJS.ErrnoException): ConnectResult | Error {
  const { code, errno, message } = error;
  if (code === "ETIMEDOUT") return { kind: "timeout" };
  if (OUT_OF_RESOURCES.has(code)) {
    const [, text = message] = getSystemErrorMap().get(errno!) ?? [];
    return new Error(`no socket could be opened: ${text} (${code})`);
  }
  const isLocal = code === "EADDRNOTAVAIL"; // the source address is not one of this machine
  return { kind: "unreachable", why: code ?? message, ...(isLocal && { isLocal }) };
}

/** Destroys a socket and ignores its errors from now on. */
export function destroySocket(socket: Socket): void {
  socket.on("error", () => {});
  socket.destroy();
}
