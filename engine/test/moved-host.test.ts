/** A mail host that gets another address while its pool is busy. */
import { mailDomain, mailHost, openLab, type Temperament } from "@mailvet/lab";
import { expect, test } from "vitest";
import { parseAddress } from "../src/address/address.ts";
import { deferred } from "../src/deferred.ts";
import { createEgressGuard } from "../src/egress/guard.ts";
import { createConnect } from "../src/smtp/client/connect.ts";
import { createPlanner } from "../src/smtp/probe-planner.ts";
import { until } from "./until.ts";

test("a busy pool opens its next sessions at the address that the mail host has now", async () => {
  const moved = deferred<void>();
  const refusesAll: Temperament = {
    on: {
      rcpt: ({ address }) => ({
        ...(address.startsWith("first@") && { until: moved.promise }),
        reply: "550 5.1.1 User unknown",
      }),
    },
  };
  await using lab = await openLab({
    "mx.old.test": mailHost({ temper: refusesAll }),
    "mx.new.test": mailHost(),
    "shop.test": mailDomain({ mx: ["mx.new.test"], users: ({ localPart }) => localPart.startsWith("anna") }),
  });
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const planner = createPlanner({
    connectFrom: (egress) => createConnect({ guard, port: lab.smtpPort, egress }),
    egress: [{ name: "default", share: 1, ehloName: "probe.test", mailFrom: "probe@probe.test" }],
    probeTimeoutMs: 120_000,
    connectionsPerHost: 2,
  });
  const probe = async (local: string, address: string) => {
    const parsed = parseAddress(`${local}@shop.test`);
    if (!parsed.ok) throw new Error(local);
    const hosts = [{ name: "mx.shop.test", preference: 10, addresses: [address] }];
    const input = { address: parsed.address, route: { hosts, isPartial: false }, provider: "other" };
    return (await planner.probe(input)).mailbox;
  };
  const held = probe("first", lab.addressOf("mx.old.test"));
  await until(() => (lab.counts("mx.old.test").commands.RCPT ?? 0) > 0);
  // Enough for a second session beside the one that waits.
  const names = Array.from({ length: 13 }, (_, i) => `anna${i}`);
  const found = await Promise.all(names.map((local) => probe(local, lab.addressOf("mx.new.test"))));
  moved.resolve();
  await held;
  await planner.close();
  expect(new Set(found.map(({ answer }) => answer))).toEqual(new Set(["accepted"]));
  expect(lab.counts("mx.old.test").connections).toBe(1);
});
