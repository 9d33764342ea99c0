import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { deferred } from "../../deferred.ts";
import { createEgressGuard } from "../../egress/guard.ts";
import { createConnect } from "./connect.ts";
import type { SocksProxy } from "./socks.ts";

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) server.close();
});

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onSocket(socket);
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A mail host that sends a banner and closes. */
const greeter = () => listen((socket) => socket.end("220 hello\r\n"));

/** What the proxy received, step by step. */
type Received = { methods?: Buffer; password?: Buffer; request?: Buffer };

/** A small SOCKS5 proxy (RFC 1928) for IPv4, which requires the password "open sesame" when it has a user. */
function proxyServer(
  options: { user?: string; answer?: number; received?: Received; boundName?: string } = {},
) {
  const { user, answer = 0, received = {}, boundName } = options;
  return listen((socket) => {
    let step = 0;
    socket.on("data", (data) => {
      step++;
      if (step === 1) {
        received.methods = data;
        socket.write(Buffer.from([5, data.includes(user ? 2 : 0, 2) ? (user ? 2 : 0) : 0xff]));
      } else if (step === 2 && user) {
        received.password = data;
        const expected = Buffer.from(`\x01${String.fromCharCode(user.length)}${user}\x0bopen sesame`);
        socket.write(Buffer.from([1, data.equals(expected) ? 0 : 1]));
      } else {
        received.request = data;
        const bound = boundName
          ? Buffer.concat([Buffer.from([3, boundName.length]), Buffer.from(boundName)])
          : Buffer.from([1, 0, 0, 0, 0]);
        const head = Buffer.concat([Buffer.from([5, answer, 0]), bound, Buffer.from([0, 0])]);
        if (answer !== 0) {
          socket.write(head);
          return;
        }
        socket.removeAllListeners("data");
        const onward = connect(data.readUInt16BE(8), data.subarray(4, 8).join("."), () => {
          onward.once("data", (first) => {
            socket.write(Buffer.concat([head, first])); // the banner in the same packet as the proxy's reply
            onward.pipe(socket).pipe(onward);
          });
        });
        onward.on("error", () => socket.destroy());
      }
    });
  });
}

const through = (proxy: Partial<SocksProxy>, port: number, timeoutMs = 60_000) =>
  createConnect({
    guard: createEgressGuard({ allow: ["127.0.0.1"] }),
    port,
    egress: { proxy: { host: "127.0.0.1", port: 1, ...proxy } },
  })("127.0.0.1", timeoutMs);

function firstData(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once("data", (data) => resolve(data.toString())));
}

test("the proxy receives the target's address, and no byte of the banner is lost", async () => {
  const received: Received = {};
  const mailPort = await greeter();
  const dialled = await through({ port: await proxyServer({ received }) }, mailPort);
  if (dialled.kind !== "connected") throw new Error(dialled.kind);
  expect(await firstData(dialled.socket)).toBe("220 hello\r\n");
  expect(received.request).toEqual(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, mailPort >> 8, mailPort & 0xff]));
  dialled.socket.destroy();
});

test("a reply with a bound host name is read", async () => {
  const port = await proxyServer({ boundName: "proxy.shop.test" });
  const dialled = await through({ port }, await greeter());
  if (dialled.kind !== "connected") throw new Error(dialled.kind);
  expect(await firstData(dialled.socket)).toBe("220 hello\r\n");
  dialled.socket.destroy();
});

test("a reply that arrives in parts is read", async () => {
  const bytes = [...Buffer.from([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 25])];
  const port = await listen((socket) => {
    const writeNext = () => {
      const byte = bytes.shift();
      if (byte === undefined) return;
      socket.write(Buffer.from([byte]));
      setTimeout(writeNext, 5); // a packet of its own
    };
    socket.once("data", writeNext);
  });
  const dialled = await through({ port }, 25);
  expect(dialled.kind).toBe("connected");
  if (dialled.kind === "connected") dialled.socket.destroy();
});

test("configured credentials are sent, and rejected ones are a value", async () => {
  const port = await proxyServer({ user: "ali" });
  const mailPort = await greeter();
  const dialled = await through({ port, username: "ali", password: "open sesame" }, mailPort);
  expect(dialled.kind).toBe("connected");
  if (dialled.kind === "connected") dialled.socket.destroy();
  expect(await through({ port, username: "ali", password: "open wheat" }, mailPort)).toEqual({
    kind: "unreachable",
    why: "the proxy rejected user name or password",
    isLocal: true,
  });
  expect(await through({ port }, mailPort)).toEqual({
    kind: "unreachable",
    why: "the proxy supports no configured authentication method",
    isLocal: true,
  });
});

test.each([
  [2, "forbidden by the rules of the proxy", "proxy"],
  [3, "the network is unreachable from the proxy", "route"],
  [4, "the host is unreachable from the proxy", "target"],
  [5, "connection refused", "target"],
  [8, "the proxy does not support this address type", "route"],
  [99, "general failure of the proxy", "proxy"],
] as const)("reply code %i means: %s, which is about the %s", async (answer, why, subject) => {
  const port = await proxyServer({ answer });
  const isLocal = subject === "proxy" ? { isLocal: true } : {};
  const kind = subject === "route" ? "no_route" : "unreachable";
  expect(await through({ port }, 25)).toEqual({ kind, why, ...isLocal });
});

test("a proxy that closes, speaks another protocol or does not listen is a value", async () => {
  const closing = await listen((socket) => socket.end());
  expect(await through({ port: closing }, 25)).toMatchObject({
    kind: "unreachable",
    why: "the proxy closed the connection",
  });
  const http = await listen((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect(await through({ port: http }, 25)).toMatchObject({ kind: "unreachable" });
  const gone = await greeter();
  await new Promise((resolve) => open.pop()!.close(resolve));
  expect(await through({ port: gone }, 25)).toEqual({
    kind: "unreachable",
    why: "no connection to the proxy: ECONNREFUSED",
    isLocal: true,
  });
});

test("a silent proxy failed itself; one that is silent about the target may wait for it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  /** What is reported when the time is up after this many messages to a proxy that replies to all but the last. */
  const timedOutAfter = async (messages: number) => {
    const silent = deferred<void>();
    const port = await listen((socket) => {
      let received = 0;
      socket.on("data", () => (++received < messages ? socket.write(Buffer.from([5, 0])) : silent.resolve()));
    });
    const dialled = through({ port }, 25, 60_000);
    await silent.promise;
    vi.advanceTimersByTime(60_000);
    return dialled;
  };
  expect(await timedOutAfter(1)).toEqual({
    kind: "unreachable",
    why: "the proxy does not answer",
    isLocal: true,
  });
  expect(await timedOutAfter(2)).toEqual({ kind: "timeout" });
});

test.each([
  ["another version", [4, 0, 0, 1, 0, 0, 0, 0, 0, 0]],
  ["an unknown type of address", [5, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
])("a reply with %s is a failure of the proxy", async (_, reply) => {
  const port = await listen((socket) =>
    socket.once("data", () => {
      socket.write(Buffer.from([5, 0]));
      socket.once("data", () => socket.write(Buffer.from(reply)));
    }),
  );
  expect(await through({ port }, 25)).toEqual({
    kind: "unreachable",
    why: "the proxy sent a malformed reply",
    isLocal: true,
  });
});

test("the egress guard decides before the proxy is contacted", async () => {
  const received: Received = {};
  const proxy = { host: "127.0.0.1", port: await proxyServer({ received }) };
  const dial = createConnect({ guard: createEgressGuard(), port: 25, egress: { proxy } });
  expect(await dial("127.0.0.1", 500)).toEqual({ kind: "forbidden" });
  expect(received).toEqual({});
});
