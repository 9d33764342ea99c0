import { ALL_SUB_STATUSES } from "@mailvet/contract";
import {
  decide,
  type Evidence,
  readEngineSettings,
  reportOf,
  settingsFrom,
  TEMPLATES,
  verifierFrom,
} from "@mailvet/engine";
import { expect, test } from "vitest";
import { cachedPartOf, mergeEvidence } from "./cached-evidence.ts";
import { freshForMs } from "./freshness.ts";
import { SANDBOX_OUTCOMES } from "./sandbox-outcomes.ts";

const verifier = verifierFrom(readEngineSettings(settingsFrom({})));
const inspect = (email: string) => verifier.begin(email, "syntax").evidence;
const ASKING = { requestId: "1", planTier: "payg", responseTimeMs: 1, checkedAtMs: 0, cached: true };
const presented = (evidence: Evidence) => {
  const { metadata, ...rest } = reportOf(evidence, ASKING);
  return { ...rest, retryAfter: metadata.retry_after };
};

const FROM_THE_INSPECTION = ["role_based", "possible_typo", "disposable", "low_quality", "agent_mailbox"];
/** Sub-statuses that depend on DNS or SMTP and are cached. */
const CACHED = ALL_SUB_STATUSES.filter(
  (subStatus) => freshForMs(SANDBOX_OUTCOMES[subStatus](inspect("ann@shop.io"))) > 0,
).filter((subStatus) => !FROM_THE_INSPECTION.includes(subStatus));

test.for(CACHED)("cached evidence of %o is presented as before, also after JSON", (subStatus) => {
  const text = inspect("ann@shop.io");
  const evidence = mergeEvidence(text, SANDBOX_OUTCOMES[subStatus](text));
  const cached = JSON.parse(JSON.stringify(cachedPartOf(evidence)));
  expect(presented(mergeEvidence(text, cached))).toEqual(presented(evidence));
});

test("cached evidence does not contain the address", () => {
  const evidence = SANDBOX_OUTCOMES[""](inspect("secret.person@shop.io"));
  expect(JSON.stringify(cachedPartOf(evidence))).not.toContain("secret.person");
});

test("of a route, cached evidence has the first host only", () => {
  const host = { name: "mx.shop.io", preference: 20, addresses: ["9.9.9.9"] };
  const hosts = [host, { ...host, name: "mx2.shop.io" }];
  const unresolved = [{ exchange: "mx0.shop.io", preference: 10 }];
  const route = { kind: "mail_hosts", implicit: false, isPartial: true, hosts, unresolved } as const;
  expect(cachedPartOf({ ...inspect("ann@shop.io"), route }).route).toEqual({
    kind: "mail_hosts",
    implicit: false,
    isPartial: true,
    hosts: [{ ...host, addresses: [] }],
  });
});

test("an answer has the spelling of its request, and the current lists apply", () => {
  const cached = cachedPartOf(SANDBOX_OUTCOMES[""](inspect("info@gmial.com")));
  const evidence = mergeEvidence(inspect(" INFO@gmial.com"), cached);
  expect(evidence).toMatchObject({ email: " INFO@gmial.com", suggestion: { email: "INFO@gmail.com" } });
  expect(decide(evidence).subStatus).toBe("possible_typo");
});

test("properties known from the mail host are cached", () => {
  const text = inspect("ann@shop.io");
  const proven = SANDBOX_OUTCOMES[""](text);
  const relayed = mergeEvidence(text, cachedPartOf({ ...proven, isPrivacyRelay: true }));
  expect(decide(relayed).subStatus).toBe("privacy_relay");
  const disposable = mergeEvidence(text, cachedPartOf({ ...proven, disposable: "mail_host" }));
  expect(decide(disposable).subStatus).toBe("disposable");
});

test("replies are cached shortened and cleaned", () => {
  const text = inspect("ann@shop.io");
  const reply = { code: 550, text: `${"😀".repeat(199)}x😀\0\u0007${"y".repeat(30_000)}` };
  const { mailbox } = cachedPartOf({
    ...SANDBOX_OUTCOMES[""](text),
    mailbox: { answer: "not_found", reply },
  });
  expect(mailbox?.reply?.text.length).toBeLessThanOrEqual(400);
  expect(mailbox?.reply?.text).not.toMatch(/\p{C}/u);
});

test("naming and adjudication are cached with the answer", () => {
  const text = inspect("anna.lindqvist@shop.io");
  const naming = { mailboxes: 16, shares: [14, ...Array(TEMPLATES.length - 2).fill(0), 2] };
  const adjudication = { plausible: 0.9, reasonCode: "person_name", method: "small-model" } as const;
  const evidence = mergeEvidence(text, { ...SANDBOX_OUTCOMES.catch_all(text), naming, adjudication });
  const cached = JSON.parse(JSON.stringify(cachedPartOf(evidence)));
  expect(presented(mergeEvidence(text, cached))).toEqual(presented(evidence));
  expect(presented(evidence).ai_enhancement.method).toContain("naming+adjudicator:small-model");
});
