import { ALL_SUB_STATUSES, STATUS_OF, type SubStatus } from "@mailvet/contract";
import {
  decide,
  type Evidence,
  readEngineSettings,
  reportOf,
  settingsFrom,
  verifierFrom,
} from "@mailvet/engine";
import { afterEach, expect, test, vi } from "vitest";
import type { Caller } from "../base/caller.ts";
import { type CheckContext, checkContextOf } from "./check-options.ts";
import { createSandbox, isInSandbox } from "./sandbox.ts";

const verifier = verifierFrom(readEngineSettings(settingsFrom({})));
const inspect = (email: string) => verifier.begin(email, "syntax").evidence;

const sandbox = createSandbox();
const play = async (email: string, context: Partial<CheckContext> = {}) => {
  const played = await sandbox.simulate({ accountId: "account", isTest: true, ...context }, inspect(email));
  return played.evidence;
};
const reported = async (email: string) => reportOf(await play(email), ASKING);
const ASKING = { requestId: "1", planTier: "payg", responseTimeMs: 1, checkedAtMs: 0, cached: false };

afterEach(() => {
  vi.useRealTimers();
});

const nameOf = (subStatus: SubStatus) => (subStatus === "" ? "valid" : subStatus.replaceAll("_", "-"));

test.for(ALL_SUB_STATUSES)(
  "the sandbox simulates %o, at any domain and with any further tag",
  async (subStatus) => {
    const name = nameOf(subStatus);
    const spellings = [
      `${name}@mailvet.test`,
      `${name.toUpperCase()}@Gmail.com`,
      `${name}+17@example.com`,
      `ann+${name}@bücher.example`,
      `ann+${name}+17@mailinator.com`,
      `info+${name}@[192.0.2.1]`,
      `${name.replaceAll("-", "_")}@mailvet.test`,
      `ann+${name.replaceAll("-", "_")}@example.com`,
    ];
    for (const email of spellings) {
      const { status, subStatus: played } = decide(await play(email));
      expect([email, status, played]).toEqual([email, STATUS_OF[subStatus], subStatus]);
    }
  },
);

test("an unknown name is valid", async () => {
  for (const email of [
    "ann@mailvet.test",
    "ann+shop@mailvet.test",
    "catchall@mailvet.test",
    '"a b"@mailvet.test',
  ]) {
    expect(await reported(email)).toMatchObject({ email, status: "valid", sub_status: "", is_valid: true });
  }
});

test("the name before the first plus takes precedence over the tag", async () => {
  expect((await reported("catch-all+mailbox-full@mailvet.test")).sub_status).toBe("catch_all");
});

test("simulated results look like real ones", async () => {
  expect(await reported("mailbox-not-found@mailvet.test")).toMatchObject({
    is_valid: false,
    safe_to_send: false,
    flags: [],
    details: {
      syntax_valid: true,
      dns_valid: true,
      smtp_valid: false,
      smtp_code: 550,
      smtp_enhanced_code: "5.1.1",
      domain: "mailvet.test",
      provider: "other",
      mx_host: "mx.mailvet.test",
      normalized_email: "mailbox-not-found@mailvet.test",
    },
    catchall: { is_catchall: false, confidence: null },
  });
  expect(await reported("catch-all@mailvet.test")).toMatchObject({
    flags: ["catch_all"],
    catchall: { is_catchall: true, confidence: 0.92 },
    details: { smtp_valid: true, smtp_code: 250 },
  });
  expect(await reported("valid+1@mailvet.test")).toMatchObject({
    flags: ["subaddressed"],
    details: { smtp_valid: true, smtp_code: 250, has_spf: true, has_dmarc: true },
  });
  expect((await reported("disposable@mailvet.test")).details.is_disposable).toBe(true);
  expect((await reported("role-based@mailvet.test")).details.is_role_based).toBe(true);
  expect((await reported("greylisted@mailvet.test")).metadata.retry_after).toBe(300);
  expect((await reported("domain-not-found@mailvet.test")).details).toMatchObject({
    dns_valid: false,
    smtp_code: 0,
    provider: "",
    mx_host: "",
  });
});

test("a malformed address gets its syntax error", async () => {
  const evidence = await play("catch-all@@mailvet.test");
  expect(reportOf(evidence, ASKING)).toMatchObject({
    sub_status: "syntax_error",
    details: { syntax_error: { rule: "several_at" } },
  });
});

test("greylisted-then-valid is valid from two seconds after an account first asked, and for that account only", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  const email = "greylisted-then-valid@mailvet.test";
  const first = await reported(email);
  expect(first).toMatchObject({ sub_status: "greylisted", metadata: { retry_after: 2 } });
  vi.advanceTimersByTime(1_900);
  expect(decide(await play(email)).subStatus).toBe("greylisted");
  vi.advanceTimersByTime(100);
  expect(decide(await play(email.toUpperCase())).subStatus).toBe("");
  expect(decide(await play(email, { accountId: "another account" })).subStatus).toBe("greylisted");
  expect(decide(await play("greylisted-then-valid+2@mailvet.test")).subStatus).toBe("greylisted");
});

test("slow-3s takes three seconds", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  let answer: Evidence | undefined;
  const played = play("slow-3s@mailvet.test").then((evidence) => {
    answer = evidence;
  });
  await vi.advanceTimersByTimeAsync(2_990);
  expect(answer).toBeUndefined();
  await vi.advanceTimersByTimeAsync(10);
  await played;
  expect(decide(answer!).status).toBe("valid");
});

test("callers that count attempts are deferred once, and then answered by any process", async () => {
  for (const [name, seconds] of [
    ["greylisted-then-valid", 2],
    ["slow-3s", 3],
  ] as const) {
    const email = `${name}@mailvet.test`;
    const context = { accountId: "account", isTest: true };
    const first = await createSandbox().simulate({ ...context, attempt: 0 }, inspect(email));
    expect(first.isFinal).toBe(false);
    expect(reportOf(first.evidence, ASKING).metadata.retry_after).toBe(seconds);
    const second = await createSandbox().simulate({ ...context, attempt: 1 }, inspect(email));
    expect([second.isFinal, decide(second.evidence).status]).toEqual([true, "valid"]);
  }
});

test.for(ALL_SUB_STATUSES)("%o is final at once", async (subStatus) => {
  const context = { accountId: "account", isTest: true, attempt: 0 };
  const { isFinal } = await sandbox.simulate(context, inspect(`${nameOf(subStatus)}@mailvet.test`));
  expect(isFinal).toBe(true);
});

const callerBy = (by: Caller["by"], isTest: boolean): Caller => {
  return { accountId: "a", isTest, plan: "payg", isOperator: false, by };
};
const keyOf = (isTest: boolean) => callerBy({ kind: "key", keyId: "k", scopes: ["validate"] }, isTest);
const SIGNED_IN = callerBy({ kind: "session", sessionId: "s" }, false);

test.for([
  ["a test key", keyOf(true), "ann@gmail.com", true],
  ["a test key, with a malformed address", keyOf(true), "ann", true],
  ["a live key at mailvet.test", keyOf(false), "ann@MailVet.test", true],
  ["a session, at mailvet.test", SIGNED_IN, "ann@mailvet.test", true],
  ["a live key elsewhere", keyOf(false), "ann@gmail.com", false],
  ["a live key below mailvet.test", keyOf(false), "ann@mx.mailvet.test", false],
  ["a session, elsewhere", SIGNED_IN, "ann@shop.test", false],
] as const)("whether the sandbox applies: %s", ([, caller, email, isThere]) => {
  expect(isInSandbox(checkContextOf(caller), inspect(email))).toBe(isThere);
});
