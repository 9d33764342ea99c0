import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import { createConnect } from "./connect.ts";
import { SmtpConnection } from "./connection.ts";

const anyAddress = { permits: () => true };

async function connectTo(greeting: (connection: number) => string): Promise<{
  connect: (timeoutMs?: number) => Promise<Socket>;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  let connections = 0;
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.on("error", () => {});
    socket.write(greeting(++connections));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const dial = createConnect({ guard: anyAddress, port, egress: {} });
  return {
    async connect(timeoutMs = 5000) {
      const result = await dial("127.0.0.1", timeoutMs);
      if (result.kind !== "connected") throw new Error(result.kind);
      return result.socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of accepted) socket.destroy();
      server.close();
    },
  };
}

test("what arrives before anything listens is not lost", async () => {
  await using server = await connectTo(() => "220 mx.shop.test\r\n");
  const socket = await server.connect();
  await until(() => socket.bytesRead > 0);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  expect(chunk.toString()).toBe("220 mx.shop.test\r\n");
  socket.destroy();
});

test("a connection that is made while this process stands still is no timeout", async () => {
  await using server = await connectTo(() => "220 mx.shop.test\r\n");
  await new Promise(setImmediate); // timers are next
  const connecting = server.connect(20);
  await new Promise(process.nextTick); // the kernel is connecting
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  const socket = await connecting;
  const [chunk] = (await once(socket, "data")) as [Buffer]; // it has not been closed either
  expect(chunk.toString()).toBe("220 mx.shop.test\r\n");
  socket.destroy();
});

test("each of several connections that read at the same time gets only its own bytes", async () => {
  await using server = await connectTo((connection) => `220 mx${connection}.shop.test\r\n`.repeat(1000));
  const texts = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = await server.connect();
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      while (text.split("\r\n").length <= 1000) await once(socket, "data");
      socket.destroy();
      return text;
    }),
  );
  for (const text of texts) expect(new Set(text.split("\r\n")).size).toBe(2); // its line, and nothing after the last
});

test("replies that arrive in halves on several connections are not mixed", async () => {
  const CONNECTIONS = 5;
  const accepted: Socket[] = [];
  const server = createServer((socket) => accepted.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const dial = createConnect({ guard: anyAddress, port, egress: {} });
  const sockets: Socket[] = [];
  const connections: SmtpConnection[] = [];
  for (let i = 1; i <= CONNECTIONS; i++) {
    const result = await dial("127.0.0.1", 5000);
    if (result.kind !== "connected") throw new Error(result.kind);
    sockets.push(result.socket);
    connections.push(new SmtpConnection(result.socket));
    while (accepted.length < i) await once(server, "connection");
  }
  for (const [i, socket] of accepted.entries()) socket.write(`220 mx${i} of`);
  await until(() => sockets.every(({ bytesRead }) => bytesRead > 0));
  for (const [i, socket] of accepted.entries()) socket.write(` shop${i}\r\n`);
  const replies = await Promise.all(connections.map((connection) => connection.receive(60_000)));
  expect(replies.map((result) => result.kind === "reply" && result.reply.lines[0])).toEqual(
    accepted.map((_, i) => `mx${i} of shop${i}`),
  );
  for (const connection of connections) connection.close();
  server.close();
});

test.each([
  ["IPv6 from an IPv4 source", { sourceAddress: "127.0.0.1" }, "::1", "EINVAL"],
  ["what the kernel has no route for", {}, "255.255.255.255", "ENETUNREACH"],
])("%s is not routed, and not an unreachable host", async (_, egress, address, why) => {
  const dial = createConnect({ guard: anyAddress, port: 25, egress });
  expect(await dial(address, 60_000)).toEqual({ kind: "no_route", why });
});

/** `ulimit` sets the hard limit too, which Node does not raise. */
const WITHOUT_DESCRIPTORS = `
import { closeSync, openSync } from "node:fs";
import { createConnect } from ${JSON.stringify(fileURLToPath(new URL("./connect.ts", import.meta.url)))};
const dial = createConnect({ guard: { permits: () => true }, port: 9, egress: {} });
const open = [];
try {
  for (;;) open.push(openSync("/dev/null"));
} catch {}
const failure = await dial("127.0.0.1", 60_000).then(({ kind }) => kind, ({ message }) => message);
for (const descriptor of open) closeSync(descriptor);
const afterwards = await dial("127.0.0.1", 60_000);
process.stdout.write(JSON.stringify([failure, afterwards.kind, afterwards.why]));
`;

test("too many open files are an error of our own, not an unreachable host", async () => {
  const node = [process.execPath, "--import", "tsx", "--input-type=module", "-e", WITHOUT_DESCRIPTORS];
  const { stdout } = await promisify(execFile)("sh", ["-c", 'ulimit -n 100 && exec "$@"', "sh", ...node]);
  const [failure, ...afterwards] = JSON.parse(stdout) as string[];
  expect(failure).toBe("no socket could be opened: too many open files (EMFILE)");
  expect(afterwards).toEqual(["unreachable", "ECONNREFUSED"]);
});
