/** A connection through a SOCKS5 proxy (RFC 1928), with user name and password (RFC 1929) where it asks for them. */
import { connect, isIPv4, type Socket } from "node:net";
import { parseIp } from "../egress/ip-range.ts";
import { abandon, type ConnectResult, connected } from "./connect-result.ts";

export type SocksProxy = { host: string; port: number; username?: string; password?: string };

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** What the proxy's answer to CONNECT means, by its number. */
const REFUSALS = [
  "",
  "the proxy failed",
  "the proxy's rules forbid it",
  "the network is unreachable from the proxy",
  "the host is unreachable from the proxy",
  "the connection was refused",
  "it took the proxy too long",
  "the proxy does not know CONNECT",
  "the proxy does not know this kind of address",
] as const;

/** Answers that say something about the mail host; all the others are about the proxy, and so about us. */
const FAULTS_OF_THE_HOST: readonly number[] = [3, 4, 5, 6];

/** The proxy is told the address we resolved and judged, never a name, so that it cannot lead us elsewhere. */
export async function connectThroughSocks(
  proxy: SocksProxy,
  target: { address: string; port: number },
  timeoutMs: number,
  givingUp?: AbortSignal,
): Promise<ConnectResult> {
  const deadline = Date.now() + timeoutMs;
  const call = connect({ host: proxy.host, port: proxy.port, noDelay: true });
  const reached = await connected(call, timeoutMs, givingUp);
  if (reached.kind !== "connected") {
    const why = reached.kind === "unreachable" ? reached.why : "it does not answer";
    return { kind: "unreachable", why: `no connection to the proxy: ${why}`, isOurs: true };
  }

  const { socket } = reached;
  const giveUp = () => abandon(socket); // and the handshake hears that the proxy hung up
  givingUp?.addEventListener("abort", giveUp);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ConnectResult>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "timeout" }), Math.max(1, deadline - Date.now()));
  });
  const outcome = await Promise.race([shakeHands(socket, proxy, target), late]);
  clearTimeout(timer);
  givingUp?.removeEventListener("abort", giveUp);
  if (outcome.kind !== "connected") abandon(socket);
  return outcome;
}

async function shakeHands(
  socket: Socket,
  proxy: SocksProxy,
  target: { address: string; port: number },
): Promise<ConnectResult> {
  const refused = (why: string): ConnectResult => ({ kind: "unreachable", why, isOurs: true });
  const read = bytesFrom(socket);
  try {
    const method = proxy.username === undefined ? NO_AUTHENTICATION : USER_AND_PASSWORD;
    socket.write(Buffer.from([VERSION, 1, method]));
    const [version, chosen] = await read(2);
    if (version !== VERSION || chosen !== method) return refused("the proxy wants another way to sign in");

    if (method === USER_AND_PASSWORD) {
      const user = Buffer.from(proxy.username ?? "").subarray(0, 255);
      const password = Buffer.from(proxy.password ?? "").subarray(0, 255);
      socket.write(
        Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]),
      );
      if ((await read(2))[1] !== 0) return refused("the proxy does not accept our password");
    }

    const address = Buffer.from(parseIp(target.address) ?? []);
    const kind = isIPv4(target.address) ? IPV4 : IPV6;
    const port = Buffer.from([target.port >> 8, target.port & 0xff]);
    socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0, kind]), address, port]));
    const [, answer = 1, , boundKind] = await read(4);
    if (FAULTS_OF_THE_HOST.includes(answer)) return { kind: "unreachable", why: REFUSALS[answer]! };
    if (answer !== 0) return refused(REFUSALS[answer] ?? REFUSALS[1]);
    const boundLength = boundKind === IPV4 ? 4 : boundKind === NAME ? (await read(1))[0]! : 16;
    await read(boundLength + 2); // where the proxy connects from; of no use to us
    return { kind: "connected", socket };
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

/** Reads exact numbers of bytes and leaves what comes after them on the socket. */
function bytesFrom(socket: Socket): (count: number) => Promise<Buffer> {
  return async (count) => {
    for (;;) {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes !== null && bytes.length === count) return bytes;
      if (bytes !== null || socket.readableEnded || socket.destroyed) throw new Error("the proxy hung up");
      await new Promise<void>((resolve, reject) => {
        const done = (error?: Error) => {
          socket.off("readable", onReadable);
          socket.off("end", onEnd);
          socket.off("error", onError);
          error ? reject(error) : resolve();
        };
        const onReadable = () => done();
        const onEnd = () => done(new Error("the proxy hung up"));
        const onError = (error: Error) => done(error);
        socket.once("readable", onReadable);
        socket.once("end", onEnd);
        socket.once("error", onError);
      });
    }
  };
}
