/** Closing while hosts do not respond. */
import { mailDomain, offersTls, saysNothing, type Temperament } from "@mailvet/lab";
import { expect, test } from "vitest";
import { createEgressGuard } from "../src/egress/guard.ts";
import { type Connect, createConnect } from "../src/smtp/client/connect.ts";
import { openSilentHost } from "./silent-host.ts";
import { NO_VIOLATIONS, openStory, violationsAt } from "./stories/story.ts";
import { until } from "./until.ts";

/** A close that waited for the host would exceed the test timeout. */
const PATIENCE = { probeTimeoutMs: 600_000 };

const STALLS: readonly (readonly [where: string, temper: Temperament, command: string])[] = [
  ["has not greeted us yet", saysNothing({ at: "banner" }), ""],
  ["does not answer our greeting", saysNothing({ at: "ehlo" }), "EHLO"],
  ["never finishes the TLS handshake", offersTls("silent"), "STARTTLS"],
  ["does not answer a question", saysNothing({ at: "rcpt" }), "RCPT"],
];

test.concurrent.each(STALLS)("the connection to a host that %s is closed", async (_, temper, command) => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper }) }, PATIENCE);
  const asked = story.verdictOn("ann@shop.test");
  const counts = story.lab.counts("mx.shop.test");
  await until(() => counts.connections > 0 && (!command || counts.commands[command] !== undefined));
  expect(counts.openConnections).toBe(1);
  await story.end();
  expect(await asked).toBe("unknown smtp_timeout");
  const { stillThere } = await violationsAt(story, "mx.shop.test");
  expect(stillThere).toBe(0);
  expect(counts.connections).toBe(1); // and it is not contacted again without TLS
});

test.concurrent("a pending connect is aborted", async () => {
  await using host = await openSilentHost("127.0.0.87");
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const dial = createConnect({ guard, port: host.port, egress: {} });
  let isCalled = false;
  const watched: Connect = (...call) => {
    isCalled = true;
    return dial(...call);
  };
  await using story = await openStory(
    {
      "shop.test": { MX: [{ preference: 10, exchange: "mx.shop.test" }] },
      "mx.shop.test": { A: ["127.0.0.87"] },
    },
    { ...PATIENCE, dial: watched },
  );
  const asked = story.verdictOn("ann@shop.test");
  await until(() => isCalled);
  await story.end();
  expect(await asked).toBe("unknown smtp_timeout");
});

test.concurrent("QUIT is still sent to a host that was about to send its banner", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: ["ann"], latencyMs: 60 }) },
    { ...PATIENCE, closeGraceMs: 60_000 },
  );
  const asked = story.verdictOn("ann@shop.test");
  const counts = story.lab.counts("mx.shop.test");
  await until(() => counts.connections > 0);
  await story.end();
  expect(await asked).toBe("unknown smtp_timeout");
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});
