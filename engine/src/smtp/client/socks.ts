/**
 * The SOCKS5 handshake (RFC 1928) on a connection to a proxy, with user name and password (RFC 1929) where configured.
 *
 * Connecting to the proxy, timeouts and closing are in connect.ts.
 */
import { isIPv4, type Socket } from "node:net";
import { parseIp } from "../../egress/ip-range.ts";

export type SocksProxy = { host: string; port: number; username?: string; password?: string };
export type SocksTarget = { address: string; port: number };

/** `isLocal` when the proxy failed, not the target. */
export type SocksFailure =
  | { kind: "unreachable"; why: string; isLocal?: true }
  | { kind: "no_route"; why: string };

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** The reply codes of RFC 1928, section 6. */
const REFUSALS = [
  "",
  "general failure of the proxy",
  "forbidden by the rules of the proxy",
  "the network is unreachable from the proxy",
  "the host is unreachable from the proxy",
  "connection refused",
  "TTL expired",
  "the proxy does not support CONNECT",
  "the proxy does not support this address type",
] as const;

/** Reply codes about the target; all others are about the proxy. */
const TARGET_FAILURES: readonly number[] = [4, 5, 6];
/** What a proxy without IPv6 replies. */
const WITHOUT_ROUTE: readonly number[] = [3, 8];

/** Agrees on how to authenticate, and does. Undefined: the proxy takes a request. */
export function greetProxy(socket: Socket, proxy: SocksProxy): Promise<SocksFailure | undefined> {
  return unlessClosed(async () => {
    const read = bytesFrom(socket);
    const method = proxy.username === undefined ? NO_AUTHENTICATION : USER_AND_PASSWORD;
    socket.write(Buffer.from([VERSION, 1, method]));
    const [version, chosen] = await read(2);
    if (version !== VERSION || chosen !== method)
      return failed("the proxy supports no configured authentication method");
    if (method === NO_AUTHENTICATION) return undefined;

    const user = Buffer.from(proxy.username ?? "").subarray(0, 255);
    const password = Buffer.from(proxy.password ?? "").subarray(0, 255);
    socket.write(
      Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]),
    );
    return (await read(2))[1] === 0 ? undefined : failed("the proxy rejected user name or password");
  });
}

/**
 * Names the target by the address that passed the egress guard, never by name: the proxy must not resolve it again.
 * Undefined: the socket is connected to it.
 */
export function requestTarget(socket: Socket, target: SocksTarget): Promise<SocksFailure | undefined> {
  return unlessClosed(async () => {
    const read = bytesFrom(socket);
    const address = Buffer.from(parseIp(target.address) ?? []);
    const kind = isIPv4(target.address) ? IPV4 : IPV6;
    const port = Buffer.from([target.port >> 8, target.port & 0xff]);
    socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0, kind]), address, port]));
    const [version, answer = 1, , boundKind] = await read(4);
    if (version !== VERSION) return failed(MALFORMED);
    if (WITHOUT_ROUTE.includes(answer)) return { kind: "no_route", why: REFUSALS[answer]! };
    if (TARGET_FAILURES.includes(answer)) return { kind: "unreachable", why: REFUSALS[answer]! };
    if (answer !== 0) return failed(REFUSALS[answer] ?? REFUSALS[1]);
    const boundLength = boundKind === NAME ? (await read(1))[0]! : BOUND_LENGTHS.get(boundKind);
    if (boundLength === undefined) return failed(MALFORMED);
    await read(boundLength + 2); // the bound address, unused
    return undefined;
  });
}

const MALFORMED = "the proxy sent a malformed reply";
const BOUND_LENGTHS: ReadonlyMap<number | undefined, number> = new Map([
  [IPV4, 4],
  [IPV6, 16],
]);

const failed = (why: string): SocksFailure => ({ kind: "unreachable", why, isLocal: true });

async function unlessClosed(
  step: () => Promise<SocksFailure | undefined>,
): Promise<SocksFailure | undefined> {
  try {
    return await step();
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** Reads an exact number of bytes and leaves the rest on the socket. */
function bytesFrom(socket: Socket): (count: number) => Promise<Buffer> {
  return async (count) => {
    const parts: Buffer[] = [];
    for (let missing = count; ; ) {
      // Never more than has arrived: while bytes are left, "readable" is emitted at once, again and again.
      const bytes = socket.read(Math.min(missing, socket.readableLength)) as Buffer | null;
      if (bytes) parts.push(bytes);
      missing -= bytes?.length ?? 0;
      if (missing === 0) return Buffer.concat(parts);
      if (socket.readableEnded || socket.destroyed) throw new Error("the proxy closed the connection");
      await new Promise<void>((resolve, reject) => {
        const done = (error?: Error) => {
          socket.off("readable", onReadable);
          socket.off("end", onEnd);
          socket.off("error", onError);
          error ? reject(error) : resolve();
        };
        const onReadable = () => done();
        const onEnd = () => done(new Error("the proxy closed the connection"));
        const onError = (error: Error) => done(error);
        socket.once("readable", onReadable);
        socket.once("end", onEnd);
        socket.once("error", onError);
      });
    }
  };
}
