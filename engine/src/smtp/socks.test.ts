import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createEgressGuard } from "../egress/guard.ts";
import { createConnect } from "./connect.ts";
import { connectThroughSocks, type SocksProxy } from "./socks.ts";

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

/** A mail host that greets and hangs up. */
const greeter = () => listen((socket) => socket.end("220 hello\r\n"));

/** What a small SOCKS5 proxy was told, step by step. */
type Told = { methods?: Buffer; password?: Buffer; request?: Buffer };

/** A small SOCKS5 proxy (RFC 1928) for IPv4, which wants the password "open sesame" when it has a user. */
function proxyServer(options: { user?: string; answer?: number; told?: Told; boundName?: string } = {}) {
  const { user, answer = 0, told = {}, boundName } = options;
  return listen((socket) => {
    let step = 0;
    socket.on("data", (data) => {
      step++;
      if (step === 1) {
        told.methods = data;
        socket.write(Buffer.from([5, data.includes(user ? 2 : 0, 2) ? (user ? 2 : 0) : 0xff]));
      } else if (step === 2 && user) {
        told.password = data;
        const expected = Buffer.from(`\x01${String.fromCharCode(user.length)}${user}\x0bopen sesame`);
        socket.write(Buffer.from([1, data.equals(expected) ? 0 : 1]));
      } else {
        told.request = data;
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
            socket.write(Buffer.concat([head, first])); // the greeting in the same packet as the proxy's answer
            onward.pipe(socket).pipe(onward);
          });
        });
        onward.on("error", () => socket.destroy());
      }
    });
  });
}

const through = (proxy: Partial<SocksProxy>, port: number, timeoutMs = 60_000) =>
  connectThroughSocks({ host: "127.0.0.1", port: 1, ...proxy }, { address: "127.0.0.1", port }, timeoutMs);

function firstWords(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once("data", (data) => resolve(data.toString())));
}

test("a connection through a proxy is told the address, and loses not a byte of the greeting", async () => {
  const told: Told = {};
  const mailPort = await greeter();
  const dialled = await through({ port: await proxyServer({ told }) }, mailPort);
  if (dialled.kind !== "connected") throw new Error(dialled.kind);
  expect(await firstWords(dialled.socket)).toBe("220 hello\r\n");
  expect(told.request).toEqual(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, mailPort >> 8, mailPort & 0xff]));
  dialled.socket.destroy();
});

test("a proxy that names itself in its answer is understood as well", async () => {
  const port = await proxyServer({ boundName: "proxy.shop.test" });
  const dialled = await through({ port }, await greeter());
  if (dialled.kind !== "connected") throw new Error(dialled.kind);
  expect(await firstWords(dialled.socket)).toBe("220 hello\r\n");
  dialled.socket.destroy();
});

test("user name and password are given where there are some, and a wrong one is a value", async () => {
  const port = await proxyServer({ user: "ali" });
  const mailPort = await greeter();
  const dialled = await through({ port, username: "ali", password: "open sesame" }, mailPort);
  expect(dialled.kind).toBe("connected");
  if (dialled.kind === "connected") dialled.socket.destroy();
  expect(await through({ port, username: "ali", password: "open wheat" }, mailPort)).toEqual({
    kind: "unreachable",
    why: "the proxy does not accept our password",
    isOurs: true,
  });
  expect(await through({ port }, mailPort)).toEqual({
    kind: "unreachable",
    why: "the proxy wants another way to sign in",
    isOurs: true,
  });
});

test.each([
  [2, "the proxy's rules forbid it", "ours"],
  [4, "the host is unreachable from the proxy", "the host's"],
  [5, "the connection was refused", "the host's"],
  [99, "the proxy failed", "ours"],
] as const)("the proxy's answer %i means: %s, and the fault is %s", async (answer, why, whose) => {
  const port = await proxyServer({ answer });
  const isOurs = whose === "ours" ? { isOurs: true } : {};
  expect(await through({ port }, 25)).toEqual({ kind: "unreachable", why, ...isOurs });
});

test("a proxy that hangs up, talks nonsense or is not there is a value", async () => {
  const hangsUp = await listen((socket) => socket.end());
  expect(await through({ port: hangsUp }, 25)).toMatchObject({
    kind: "unreachable",
    why: "the proxy hung up",
  });
  const nonsense = await listen((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect(await through({ port: nonsense }, 25)).toMatchObject({ kind: "unreachable" });
  const gone = await greeter();
  await new Promise((resolve) => open.pop()!.close(resolve));
  expect(await through({ port: gone }, 25)).toEqual({
    kind: "unreachable",
    why: "no connection to the proxy: ECONNREFUSED",
    isOurs: true,
  });
});

test("a proxy that is silent has our time for as long as we said", async () => {
  const port = await listen(() => {});
  expect(await through({ port }, 25, 150)).toEqual({ kind: "timeout" });
});

test("the guard is asked before the proxy is", async () => {
  const told: Told = {};
  const proxy = { host: "127.0.0.1", port: await proxyServer({ told }) };
  const dial = createConnect({ guard: createEgressGuard(), port: 25, egress: { proxy } });
  expect(await dial("127.0.0.1", 500)).toEqual({ kind: "forbidden" });
  expect(told).toEqual({});
});
