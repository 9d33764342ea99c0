/** A story for every sub-status there is, most of them in the lab's standing world. */
import { ALL_SUB_STATUSES } from "@mailvet/contract";
import { mailDomain, mailHost, SAMPLE_WORLD, SAMPLES } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEgressGuard } from "../../src/egress/guard.ts";
import { loadDisposables } from "../../src/reference/disposable.ts";
import type { ProbePlanner } from "../../src/smtp/probe-planner.ts";
import { decide } from "../../src/verdict.ts";
import { createVerifier } from "../../src/verifier.ts";
import { type Engine, engineIn, openStory, type Story } from "./story.ts";

/** Further down, or, as for low_quality, where mailbox names are told of. */
const TOLD_ELSEWHERE = ["possible_typo", "low_quality", "egress_blocked", "smtp_skipped", "internal_error"];

let story: Story;
/** Engines in the same world that give up early, for the verdicts that come of that. */
let brief: Record<string, Engine>;
beforeAll(async () => {
  story = await openStory(SAMPLE_WORLD);
  brief = {
    smtp_timeout: engineIn(story.lab, { probeTimeoutMs: 2500 }),
    dns_error: engineIn(story.lab, { dnsTimeoutMs: 2500 }),
  };
});
afterAll(async () => {
  for (const engine of Object.values(brief)) await engine.end();
  await story[Symbol.asyncDispose]();
});

const told = SAMPLES.filter(({ subStatus }) => !TOLD_ELSEWHERE.includes(subStatus));

test.concurrent.each(told)("$email is $status $subStatus: $because", async ({ email, status, subStatus }) => {
  expect(await (brief[subStatus] ?? story).verdictOn(email)).toBe(`${status} ${subStatus}`.trim());
});

test("no sub-status is left without a story", () => {
  const subStatuses = new Set([...told.map(({ subStatus }) => subStatus), ...TOLD_ELSEWHERE]);
  expect(subStatuses).toEqual(new Set(ALL_SUB_STATUSES));
});

test("where a firewall swallows every call, we say so after five silent hosts and let nobody wait again", async () => {
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

test("a mailbox at a look-alike of a large provider exists, and is probably not the one that was meant", async () => {
  await using typo = await openStory({ "iclould.com": mailDomain({ users: ["annabel"] }) });
  const evidence = await typo.evidenceFor("annabel@iclould.com");
  expect(decide(evidence)).toMatchObject({ status: "risky", subStatus: "possible_typo", isValid: true });
  expect(evidence.suggestion?.email).toBe("annabel@icloud.com");
});

test("who asks for names only is told that no mail server was asked", async () => {
  const { status, subStatus } = decide(await story.verify("ann@polite.example-lab.com", "dns"));
  expect([status, subStatus]).toEqual(["unknown", "smtp_skipped"]);
});

test("a bug of ours is an internal_error for whoever asked, and says nothing of the mailbox", async () => {
  const planner: ProbePlanner = {
    probe: () => Promise.reject(new Error("not reached")),
    close: async () => {},
  };
  const resolver = { ask: () => Promise.reject(new Error("a bug of ours")), close: () => {} };
  const verifier = createVerifier({
    disposables: loadDisposables(),
    resolver,
    guard: createEgressGuard(),
    planner,
  });
  const evidence = await verifier.verify("ann@shop.org", "smtp");
  expect(evidence.failure).toContain("a bug of ours");
  expect(decide(evidence)).toMatchObject({ status: "unknown", subStatus: "internal_error" });
});

test("a bug on the way to the mail server reaches everybody who asked, and keeps nobody else waiting", async () => {
  const dial = (address: string) =>
    address === "127.0.1.1"
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

test("a domain of one's own behind a masking relay is told by its mail host", async () => {
  await using story = await openStory({
    "mx1.simplelogin.co": mailHost(),
    "masked.org": mailDomain({ mx: ["mx1.simplelogin.co"], users: ["shop.ann"] }),
  });
  expect(await story.verdictOn("shop.ann@masked.org")).toBe("valid privacy_relay");
});
