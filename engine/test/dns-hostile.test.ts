/** Hostile name servers: whatever they send, a lookup ends in time and with a value. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { Socket } from "node:net";
import { bindBoth, type DnsTemperament, openLab } from "@mailvet/lab";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DNS_FAILURES } from "../src/dns/dns-answer.ts";
import { createResolver } from "../src/dns/resolver.ts";

const STATUSES = ["answer", "nxdomain", "nodata", ...DNS_FAILURES];
const bytes = fc.uint8Array({ maxLength: 1400 }).map((array) => Buffer.from(array));

/** Queries a lab whose responses are modified, each time for a new name. */
async function askSpoilt(answers: DnsTemperament, name: string, timeoutMs: number) {
  await using lab = await openLab({ "*.test": { A: ["192.0.2.1"], answers } });
  const resolver = createResolver({ servers: [lab.nameServer], timeoutMs });
  const { status } = await resolver.query(name, "A");
  resolver.close();
  return status;
}

test("random bytes instead of a response end as a value", async () => {
  await fc.assert(
    fc.asyncProperty(bytes, fc.nat(0xffff), async (junk, salt) => {
      const answers: DnsTemperament = () => ({ rewrite: () => junk });
      expect(STATUSES).toContain(await askSpoilt(answers, `n${salt}.test`, 24));
    }),
    { numRuns: 60 },
  );
});

test("random bytes after a valid header and question end as a value, over UDP and TCP", async () => {
  await fc.assert(
    fc.asyncProperty(bytes, fc.boolean(), fc.nat(0xffff), async (junk, isTcp, salt) => {
      const rewrite = (message: Buffer) => {
        const spoilt = Buffer.concat([message, junk]);
        spoilt.writeUInt16BE(3, 6); // claims three answers
        return spoilt;
      };
      const answers: DnsTemperament = ({ transport }) =>
        isTcp && transport === "udp" ? { truncate: true } : { rewrite };
      expect(STATUSES).toContain(await askSpoilt(answers, `n${salt}.test`, 600));
    }),
    { numRuns: 60 },
  );
});

test("a flood of responses with the wrong id is cut off as malformed", async () => {
  const flood = createSocket("udp4").bind(0, "127.0.0.1");
  await once(flood, "listening");
  flood.on("message", (query, { port, address }) => {
    const wrong = Buffer.from(query);
    wrong.writeUInt16BE(query.readUInt16BE(0) ^ 1, 0);
    for (let i = 0; i < 100; i++) flood.send(wrong, port, address);
  });
  const resolver = createResolver({ servers: [`127.0.0.1:${flood.address().port}`], timeoutMs: 120_000 });
  expect(await resolver.query("shop.test", "A")).toEqual({ status: "malformed" });
  resolver.close();
  flood.close();
});

test.each<[string, string, (socket: Socket) => void]>([
  ["closes the connection", "malformed", (socket) => socket.end()],
  ["resets", "unreachable", (socket) => socket.resetAndDestroy()],
  ["says nothing", "timeout", () => {}],
  [
    "announces much and sends little",
    "timeout",
    (socket) => socket.write(Buffer.from([0xff, 0xff, 1, 2, 3])),
  ],
  ["sends an empty message", "malformed", (socket) => socket.write(Buffer.from([0, 0]))],
  ["sends nonsense byte by byte", "malformed", (socket) => dribble(socket, Buffer.alloc(40, 0x11))],
])("a server that truncates its response and then, over TCP, %s is %s", async (_, status, behave) => {
  await using server = await openTruncating(behave);
  const timeoutMs = status === "timeout" ? 500 : 120_000;
  const resolver = createResolver({ servers: [server.address], timeoutMs });
  expect(await resolver.query("shop.test", "A")).toEqual({ status });
  resolver.close();
});

function dribble(socket: Socket, message: Buffer): void {
  const whole = Buffer.concat([Buffer.from([0, message.length]), message]);
  let sent = 0;
  const next = () => {
    if (sent === whole.length || socket.destroyed) return;
    socket.write(whole.subarray(sent, ++sent), () => setTimeout(next, 2));
  };
  socket.setNoDelay(true);
  next();
}

/** UDP that always sets TC, and TCP that behaves as given. */
async function openTruncating(behave: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const { tcp, udp, port } = await bindBoth();
  tcp.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    behave(socket);
  });
  udp.on("message", (query, from) => {
    const truncated = Buffer.from(query);
    truncated.writeUInt16BE(0x8300, 2);
    udp.send(truncated, from.port, from.address);
  });
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      udp.close();
      tcp.close();
      await once(tcp, "close");
    },
  };
}
