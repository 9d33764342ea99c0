/** Random servers: whatever they send, a session ends in time and with a value. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAddress } from "../src/address/address.ts";
import { createEgressGuard } from "../src/egress/guard.ts";
import { MAILBOX_ANSWERS } from "../src/evidence.ts";
import { createConnect } from "../src/smtp/client/connect.ts";
import { createPlanner } from "../src/smtp/probe-planner.ts";

type Move = { after: "connect" | "data"; bytes: Uint8Array; close: boolean };

let moves: readonly Move[] = [];
let server: Server;
const sockets = new Set<Socket>();

/** Plays the moves of the current run in order, each after what it waits for, repeatedly. */
beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    let next = 0;
    const play = (after: Move["after"]) => {
      for (; moves[next % moves.length]?.after === after && next < 60; next++) {
        const { bytes, close } = moves[next % moves.length]!;
        if (socket.writable) socket.write(bytes);
        if (close) socket.end();
        if (after === "data") {
          next++;
          break;
        }
      }
    };
    socket.on("data", () => play("data"));
    play("connect");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Nearly always like SMTP, and sometimes not at all. */
const utterance = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .constantFrom(
        "220 hello\r\n",
        "250 ok\r\n",
        "250-mx\r\n250-PIPELINING\r\n250 SMTPUTF8\r\n",
        "250-STARTTLS\r\n250 ok\r\n",
        "250-half",
        "550 5.1.1 no such user\r\n",
        "421 4.7.0 go away\r\n",
        "452 4.5.3 too many\r\n",
        "250 ok\r\n250 ok\r\n550 no\r\n",
        "354 go ahead\r\n",
        "221 bye\r\n",
        "500 what\r\n",
        "\r\n",
        "",
      )
      .map((text) => Buffer.from(text)),
  },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);
const move: fc.Arbitrary<Move> = fc.record({
  after: fc.constantFrom("connect", "data", "data", "data"),
  bytes: utterance,
  close: fc.nat({ max: 9 }).map((n) => n === 0),
});

test("a random server makes no probe hang and nothing crash", async () => {
  const { port } = server.address() as AddressInfo;
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const addresses = ["ann@shop.test", "bob@shop.test", "eve@host.test"].map((email) => {
    const parsed = parseAddress(email);
    if (!parsed.ok) throw new Error(email);
    return parsed.address;
  });
  const hosts = [{ name: "mx.shop.test", preference: 10, addresses: ["127.0.0.1"] }];

  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), async (script) => {
      moves = script;
      const planner = createPlanner({
        connectFrom: (egress) => createConnect({ guard, port, egress }),
        egress: [{ name: "default", share: 1, ehloName: "probe.test", mailFrom: "probe@probe.test" }],
        probeTimeoutMs: 40,
      });
      const asked = Promise.all(
        addresses.map((address) =>
          planner.probe({ address, route: { hosts, isPartial: false }, provider: "other" }),
        ),
      );
      // A 421 is followed by a pause of seconds; closing must neither wait for it nor leave a probe pending.
      const closing = setTimeout(() => void planner.close(), 250);
      const probed = await asked;
      clearTimeout(closing);
      for (const { mailbox } of probed) expect(MAILBOX_ANSWERS).toContain(mailbox.answer);
      await planner.close();
    }),
    { numRuns: 40, interruptAfterTimeLimit: 12_000 },
  );
});
