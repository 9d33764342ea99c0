/** One case for every sub-status, most of them in the lab's standing world. */
import { ALL_SUB_STATUSES } from "@mailvet/contract";
import { mailDomain, mailHost, SAMPLE_WORLD, SAMPLES } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEgressGuard } from "../../src/egress/guard.ts";
import { networkStages } from "../../src/network-stages.ts";
import { loadDisposables } from "../../src/reference/disposable.ts";
import type { ProbePlanner } from "../../src/smtp/probe-planner.ts";
import { decide } from "../../src/verdict.ts";
import { createVerifier } from "../../src/verifier.ts";
import { type Engine, engineIn, openStory, type Story } from "./story.ts";

/** Below, or in another file (low_quality: mailbox-names.test.ts). */
const TESTED_ELSEWHERE = [
  "possible_typo",
  "low_quality",
  "egress_blocked",
  "smtp_skipped",
  "internal_error",
  "server_untrusted",
];

let story: Story;
/** Engines with short timeouts in the same world, for the verdicts that need them. */
let brief: Record<string, Engine>;
beforeAll(async () => {
  story = await openStory(SAMPLE_WORLD);
  brief = {
    smtp_timeout: engineIn(story.lab, { probeTimeoutMs: 8000 }),
    dns_error: engineIn(story.lab, { dnsTimeoutMs: 8000 }),
  };
});
afterAll(async () => {
  for (const engine of Object.values(brief)) await engine.end();
  await story[Symbol.asyncDispose]();
});

test.concurrent.each(SAMPLES)(
  "$email is $status $subStatus: $because",
  async ({ email, status, subStatus }) => {
    expect(await (brief[subStatus] ?? story).verdictOn(email)).toBe(`${status} ${subStatus}`.trim());
  },
);

test("every sub-status has a case", () => {
  const subStatuses = new Set([...SAMPLES.map(({ subStatus }) => subStatus), ...TESTED_ELSEWHERE]);
  expect(subStatuses).toEqual(new Set(ALL_SUB_STATUSES));
});

test("behind a firewall that drops everything, the engine reports egress_blocked after five silent hosts", async () => {
  let calls = 0;
  const dial = async () => {
    calls++;
    return { kind: "timeout" } as const;
  };
  const world = Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`shop${i}.test`, mailDomain({ users: ["ann"] })]),
  );
  await using walled = await openStory(world, { dial });
  for (let i = 0; i < 5; i++)
    expect(await walled.verdictOn(`ann@shop${i}.test`)).toBe("unknown smtp_unreachable");
  expect(await walled.verdictsOn(["ann@shop5.test", "ann@shop6.test", "bob@shop0.test"])).toEqual(
    Array(3).fill("unknown egress_blocked"),
  );
  expect(calls).toBe(5);
});

test("a mailbox at a look-alike domain exists, and is a possible typo", async () => {
  await using typo = await openStory({ "iclould.com": mailDomain({ users: ["annabel"] }) });
  const evidence = await typo.evidenceFor("annabel@iclould.com");
  expect(decide(evidence)).toMatchObject({ status: "risky", subStatus: "possible_typo", isValid: true });
  expect(evidence.suggestion?.email).toBe("annabel@icloud.com");
});

test("at level dns the mail server is not contacted", async () => {
  const { status, subStatus } = decide(await story.verify("ann@polite.example-lab.com", "dns"));
  expect([status, subStatus]).toEqual(["unknown", "smtp_skipped"]);
});

test("an exception is internal_error, and says nothing about the mailbox", async () => {
  const planner: ProbePlanner = {
    probe: () => Promise.reject(new Error("not reached")),
    close: async () => {},
  };
  const resolver = { query: () => Promise.reject(new Error("a bug of ours")), close: () => {} };
  const disposables = loadDisposables();
  const verifier = createVerifier({
    disposables,
    openNetwork: () => networkStages({ resolver, guard: createEgressGuard(), planner }),
  });
  const evidence = await verifier.verify("ann@shop.org", "smtp");
  expect(evidence.failure).toContain("a bug of ours");
  expect(decide(evidence)).toMatchObject({ status: "unknown", subStatus: "internal_error" });
});

test("a network that could not be opened is opened by the next check", async () => {
  const planner: ProbePlanner = {
    probe: () => Promise.reject(new Error("not reached")),
    close: async () => {},
  };
  const resolver = { query: async () => ({ status: "nxdomain" as const, ttlSeconds: 60 }), close: () => {} };
  let openings = 0;
  const verifier = createVerifier({
    disposables: loadDisposables(),
    openNetwork() {
      if (++openings === 1) throw new Error("too many open files");
      return networkStages({ resolver, guard: createEgressGuard(), planner });
    },
  });
  const both = [verifier.verify("ann@shop.org", "smtp"), verifier.verify("bob@shop.org", "smtp")];
  for (const { failure } of await Promise.all(both)) expect(failure).toContain("too many open files");
  expect(decide(await verifier.verify("ann@shop.org", "smtp")).subStatus).toBe("domain_not_found");
  expect(openings).toBe(2);
  await verifier.close();
});

test("close during an opening that fails does not throw", async () => {
  const openNetwork = () => Promise.reject(new Error("too many open files"));
  const verifier = createVerifier({ disposables: loadDisposables(), openNetwork });
  const { done } = verifier.begin("ann@shop.org", "smtp");
  await verifier.close();
  expect((await done).failure).toContain("too many open files");
});

test("an exception before the session reaches all its probes, and blocks no other", async () => {
  const dial = (address: string) =>
    address === buggy.lab.addressOf("mx.shop.test")
      ? Promise.reject(new Error("a bug of ours"))
      : Promise.resolve({ kind: "timeout" as const });
  await using buggy = await openStory(
    { "shop.test": mailDomain({ users: ["ann"] }), "other.test": mailDomain({ users: ["ann"] }) },
    { dial },
  );
  for (let i = 0; i < 3; i++) {
    const asked = ["ann", "bob", "eve"].map((name) => buggy.evidenceFor(`${name}@shop.test`));
    for (const { failure } of await Promise.all(asked)) expect(failure).toContain("a bug of ours");
  }
  expect(await buggy.verdictOn("ann@other.test")).toBe("unknown smtp_unreachable");
});

test("a custom domain at a privacy relay is recognised by its mail host", async () => {
  await using story = await openStory({
    "mx1.simplelogin.co": mailHost(),
    "masked.org": mailDomain({ mx: ["mx1.simplelogin.co"], users: ["shop.ann"] }),
  });
  expect(await story.verdictOn("shop.ann@masked.org")).toBe("valid privacy_relay");
});
