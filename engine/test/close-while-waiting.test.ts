/** Closing: hosts that do not answer do not delay it, and hosts that do get QUIT. */
import { mailDomain, offersTls, saysNothing, type Temperament } from "@mailvet/lab";
import { expect, test } from "vitest";
import { createEgressGuard } from "../src/egress/guard.ts";
import { type Connect, createConnect } from "../src/smtp/connect.ts";
import { openSilentHost } from "./silent-host.ts";
import { NO_VIOLATIONS, openStory, violationsAt } from "./stories/story.ts";
import { until } from "./until.ts";

/** A close that waited for the host would exceed the limit of the test. */
const LONG_TIMEOUT = { probeTimeoutMs: 600_000 };

const STALLS: readonly (readonly [where: string, temper: Temperament, command: string])[] = [
  ["has not sent its banner yet", saysNothing({ at: "banner" }), ""],
  ["does not answer EHLO", saysNothing({ at: "ehlo" }), "EHLO"],
  ["never finishes the TLS handshake", offersTls("silent"), "STARTTLS"],
  ["does not answer RCPT", saysNothing({ at: "rcpt" }), "RCPT"],
];

test.concurrent.each(STALLS)(
  "closing destroys the connection to a host that %s",
  async (_, temper, command) => {
    await using story = await openStory(
      { "shop.test": mailDomain({ users: ["ann"], temper }) },
      LONG_TIMEOUT,
    );
    const verdict = story.verdictOn("ann@shop.test");
    const counts = story.lab.counts("mx.shop.test");
    await until(() => counts.connections > 0 && (!command || counts.commands[command] !== undefined));
    expect(counts.openConnections).toBe(1);
    await story.end();
    expect(await verdict).toBe("unknown smtp_timeout");
    const { stillThere } = await violationsAt(story, "mx.shop.test");
    expect(stillThere).toBe(0);
    expect(counts.connections).toBe(1); // no second attempt without TLS
  },
);

test.concurrent("closing aborts a connection attempt that is never answered", async () => {
  await using host = await openSilentHost("127.0.0.87");
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const dial = createConnect({ guard, port: host.port, egress: {} });
  let isDialled = false;
  const watched: Connect = (...args) => {
    isDialled = true;
    return dial(...args);
  };
  await using story = await openStory(
    {
      "shop.test": { MX: [{ preference: 10, exchange: "mx.shop.test" }] },
      "mx.shop.test": { A: ["127.0.0.87"] },
    },
    { ...LONG_TIMEOUT, dial: watched },
  );
  const verdict = story.verdictOn("ann@shop.test");
  await until(() => isDialled);
  await story.end();
  expect(await verdict).toBe("unknown smtp_timeout");
});

test.concurrent("a host that sends its banner within the grace period still gets QUIT", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: ["ann"], latencyMs: 60 }) },
    LONG_TIMEOUT,
  );
  const verdict = story.verdictOn("ann@shop.test");
  const counts = story.lab.counts("mx.shop.test");
  await until(() => counts.connections > 0);
  await story.end();
  expect(await verdict).toBe("unknown smtp_timeout");
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});
