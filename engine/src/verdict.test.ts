import { ALL_SUB_STATUSES, type DeliveryOutcome, OUTCOMES, type SubStatus } from "@mailvet/contract";
import { expect, test } from "vitest";
import { parseAddress } from "./address/address.ts";
import type { DecoyFinding, Evidence, MailboxAnswer } from "./evidence.ts";
import { flagsOf } from "./flags.ts";
import { reasonOf } from "./reason/reason.ts";
import { verdictScore } from "./score.ts";
import { decide } from "./verdict.ts";

const addressOf = (email: string) => {
  const parsed = parseAddress(email);
  if (!parsed.ok) throw new Error("the sample address is malformed");
  return parsed.address;
};
const address = addressOf("ann@shop.example");

const HOSTS = [{ name: "mx.shop.example", preference: 10, addresses: ["192.0.2.1"] }];
const REFUSED: DecoyFinding = { answer: "not_found", confidence: 0.95 };

const wellFormed: Evidence = { email: "ann@shop.example", address };
const routed: Evidence = {
  ...wellFormed,
  route: { kind: "mail_hosts", implicit: false, hosts: HOSTS, isPartial: false },
};
const probed = (answer: MailboxAnswer): Evidence => ({ ...routed, mailbox: { answer } });
const proven: Evidence = { ...probed("accepted"), decoy: REFUSED };
const random: Evidence = {
  ...proven,
  address: addressOf("zqxvkwjq@shop.example"),
  nameScore: { score: 0.005, signals: ["few_vowels"] },
};

/** For every sub-status: evidence for it, is_valid, safe_to_send, confidence. */
const CASES: Record<
  SubStatus,
  [evidence: Evidence, isValid: boolean, safeToSend: boolean, confidence: number]
> = {
  "": [proven, true, true, 0.95],
  privacy_relay: [{ ...proven, isPrivacyRelay: true }, true, true, 0.88],
  agent_mailbox: [{ ...proven, isAgentMailbox: true }, true, true, 0.88],
  syntax_error: [{ email: "ann" }, false, false, 0.99],
  provider_syntax: [
    { ...wellFormed, providerSyntaxError: "Such names are never issued." },
    false,
    false,
    0.95,
  ],
  reserved_domain: [{ ...wellFormed, specialUse: "is reserved" }, false, false, 0.99],
  domain_not_found: [{ ...wellFormed, route: { kind: "domain_not_found" } }, false, false, 0.99],
  no_mail_server: [{ ...wellFormed, route: { kind: "no_mail_server" } }, false, false, 0.98],
  null_mx: [{ ...wellFormed, route: { kind: "null_mx" } }, false, false, 0.99],
  unroutable_mail_server: [{ ...wellFormed, route: { kind: "unroutable", hosts: [] } }, false, false, 0.95],
  mailbox_not_found: [probed("not_found"), false, false, 0.97],
  mailbox_disabled: [probed("disabled"), false, false, 0.95],
  domain_not_accepted: [probed("domain_not_accepted"), false, false, 0.9],
  smtputf8_unsupported: [probed("smtputf8_unsupported"), false, false, 0.9],
  disposable: [{ ...proven, disposable: "domain" }, true, false, 0.98],
  catch_all: [{ ...proven, decoy: { answer: "accepted", confidence: 0.92 } }, false, false, 0.92],
  role_based: [{ ...proven, role: "department" }, true, false, 0.95],
  mailbox_full: [probed("full"), true, false, 0.9],
  restricted: [probed("restricted"), true, false, 0.9],
  possible_typo: [{ ...proven, suggestion: { email: "ann@gmail.com", lookAlike: true } }, true, false, 0.85],
  low_quality: [random, true, false, 0.881],
  greylisted: [probed("greylisted"), false, false, 0.4],
  rate_limited: [probed("rate_limited"), false, false, 0.35],
  probe_blocked: [probed("probe_blocked"), false, false, 0.35],
  temporary_error: [probed("temporary_error"), false, false, 0.35],
  smtp_unreachable: [probed("unreachable"), false, false, 0.3],
  smtp_timeout: [probed("timeout"), false, false, 0.3],
  smtp_protocol_error: [probed("protocol_error"), false, false, 0.3],
  egress_blocked: [probed("egress_blocked"), false, false, 0.5],
  server_untrusted: [probed("untrusted"), false, false, 0.35],
  smtp_skipped: [routed, false, false, 0.5],
  dns_error: [
    { ...wellFormed, route: { kind: "dns_error", hosts: [], reason: "servfail" } },
    false,
    false,
    0.25,
  ],
  internal_error: [probed("accepted"), false, false, 0.1],
};

for (const subStatus of ALL_SUB_STATUSES) {
  test(`verdict ${subStatus || "valid"} follows from its evidence`, () => {
    const [evidence, isValid, safeToSend, confidence] = CASES[subStatus];
    expect(decide(evidence)).toMatchObject({ subStatus, isValid, safeToSend, confidence });
    expect(reasonOf(evidence, decide(evidence))).toMatch(/^(?:\p{Lu}|\S+\.\S+ ).*\.$/u);
  });
}

test("replies about the client never count against the mailbox", () => {
  const aboutUs: MailboxAnswer[] = [
    "greylisted",
    "rate_limited",
    "probe_blocked",
    "temporary_error",
    "unreachable",
    "timeout",
    "protocol_error",
    "egress_blocked",
    "untrusted",
  ];
  for (const answer of aboutUs) {
    expect(decide(probed(answer)).status).toBe("unknown");
    expect(decide({ ...probed("accepted"), decoy: { answer, confidence: 0 } }).status).toBe("unknown");
  }
});

test("a rejection that no control confirms is flagged, and less certain", () => {
  const unconfirmed: Evidence = { ...routed, mailbox: { answer: "not_found", hasNoControl: true } };
  expect(decide(unconfirmed)).toMatchObject({ subStatus: "mailbox_not_found", confidence: 0.85 });
  expect(flagsOf(unconfirmed)).toEqual(["no_control"]);
});

test("when several rules apply, the first one wins and the others remain visible as flags", () => {
  const everything: Evidence = {
    ...proven,
    disposable: "domain",
    role: "department",
    suggestion: { email: "ann@gmail.com", lookAlike: true },
    decoy: { answer: "accepted", confidence: 0.9 },
  };
  expect(decide(everything).subStatus).toBe("disposable");
  expect(decide({ ...everything, route: { kind: "null_mx" } }).subStatus).toBe("null_mx");
  const { disposable: _, ...kept } = everything;
  expect(decide(kept).subStatus).toBe("catch_all");
  expect(decide({ ...kept, mailbox: { answer: "not_found" } }).subStatus).toBe("mailbox_not_found");
  expect(decide({ ...kept, decoy: REFUSED }).subStatus).toBe("possible_typo");
  const { suggestion: __, ...asked } = { ...kept, decoy: REFUSED };
  expect(decide(asked).subStatus).toBe("role_based");
});

test("a disposable mailbox is valid only if it was proven", () => {
  expect(decide({ ...wellFormed, disposable: "domain" })).toMatchObject({ status: "risky", isValid: false });
  expect(decide({ ...probed("accepted"), disposable: "domain" }).isValid).toBe(false);
});

const DAY_MS = 24 * 60 * 60_000;
const reported = (outcome: DeliveryOutcome, daysAgo = 1) => ({
  outcome: { outcome, reportedAtMs: Date.now() - daysAgo * DAY_MS },
});
const scored = (evidence: Evidence) => verdictScore(evidence, decide(evidence));

test("a reported outcome moves the score of an unproven mailbox to the end of its band", () => {
  for (const open of [CASES.catch_all[0], CASES.greylisted[0], CASES.smtp_timeout[0]]) {
    expect(scored({ ...open, ...reported("bounced") })).toBeLessThan(scored(open));
    expect(scored({ ...open, ...reported("delivered") })).toBeGreaterThan(scored(open));
    expect(scored({ ...open, ...reported("bounced", 181) })).toBe(scored(open)); // expires after half a year
    expect(reasonOf({ ...open, ...reported("bounced") }, decide(open))).toMatch(
      / a message to it bounced\.$/,
    );
  }
});

test("no reported outcome overrules the mail server's current answer", () => {
  for (const subStatus of ALL_SUB_STATUSES) {
    const [evidence] = CASES[subStatus];
    for (const outcome of OUTCOMES) {
      const { safeToSend: _, ...verdict } = decide(evidence);
      const withOutcome = { ...evidence, ...reported(outcome) };
      // A mailbox that received a message is not random, whatever its name.
      const expected = subStatus === "low_quality" && outcome === "delivered" ? decide(proven) : verdict;
      expect(decide(withOutcome)).toMatchObject({ status: expected.status, subStatus: expected.subStatus });
      if (subStatus === "" || subStatus === "mailbox_not_found")
        expect(scored(withOutcome)).toBe(scored(evidence));
    }
  }
});

test("a spam complaint forbids sending for good", () => {
  const complained = { ...proven, ...reported("complained", 1000) };
  expect(decide(complained)).toMatchObject({ status: "valid", isValid: true, safeToSend: false });
  expect(flagsOf(complained)).toContain("complained_before");
  expect(reasonOf(complained, decide(complained))).toContain("marked a message as spam");
});

test("sorting by score never puts an invalid address above one that may exist", () => {
  const scores = ALL_SUB_STATUSES.map((subStatus) => {
    const [evidence] = CASES[subStatus];
    const verdict = decide(evidence);
    return { status: verdict.status, score: verdictScore(evidence, verdict) };
  });
  const highestInvalid = Math.max(
    ...scores.filter(({ status }) => status === "invalid").map(({ score }) => score),
  );
  const lowestOther = Math.min(
    ...scores.filter(({ status }) => status !== "invalid").map(({ score }) => score),
  );
  const lowestValid = Math.min(
    ...scores.filter(({ status }) => status === "valid").map(({ score }) => score),
  );
  expect(highestInvalid).toBeLessThan(lowestOther);
  expect(lowestValid).toBeGreaterThanOrEqual(85);
});
