/** Nothing is invalid without proof: properties over every reply of the corpus. */
import { expect, test } from "vitest";
import type { MailboxAnswer } from "../src/evidence.ts";
import { interpretReply } from "../src/smtp/mailbox-finding.ts";
import { REPLY_STAGES, type ReplyStage } from "../src/smtp/meaning.ts";
import { parseReply, type Reply } from "../src/smtp/reply.ts";
import { profileOf } from "../src/smtp/throttle/provider-profile.ts";
import { decide } from "../src/verdict.ts";
import { VERDICT_CORPUS } from "./corpus/corpus.ts";

const PROFILE = profileOf("");
const BEFORE_RCPT = REPLY_STAGES.filter((stage) => stage !== "rcpt");
const codesOf = (hundred: number) => Array.from({ length: 100 }, (_, i) => 100 * hundred + i);

/** The text of every reply, without its codes, each once. */
const WORDINGS = new Map(
  VERDICT_CORPUS.map(({ reply, mx = "" }) => [reply.replace(/^\d{3}/gm, ""), { reply, mx }]),
);

/** The same text under another code, with and without the matching enhanced code. */
function underCode(reply: string, code: number): Reply[] {
  const parsed = parseReply(reply);
  const { enhanced, ...bare } = { ...parsed, code };
  const severity = String(code)[0];
  return enhanced === undefined ? [bare] : [bare, { ...bare, enhanced: severity + enhanced.slice(1) }];
}

function statusOf(said: { stage: ReplyStage; reply: Reply; mx: string }): {
  status: string;
  answer: MailboxAnswer;
} {
  const { finding } = interpretReply(said, PROFILE);
  const { status } = decide({
    email: "ann@example.com",
    address: { local: "ann", domain: "example.com" } as never,
    route: { kind: "mail_hosts", hosts: [], implicit: false, isPartial: false } as never,
    mailbox: finding,
    decoy: { answer: "not_found", confidence: 0.95 },
  });
  return { status, answer: finding.answer };
}

test("a temporary reply to RCPT never gives invalid, whatever its text and code", () => {
  const wrong: string[] = [];
  const codes = codesOf(4);
  let turn = 0;
  for (const { reply, mx } of WORDINGS.values()) {
    // The most common codes for every text, and all codes in turn.
    for (const code of new Set([450, 451, codes[turn++ % 100]!, codes[turn++ % 100]!])) {
      for (const said of underCode(reply, code)) {
        if (statusOf({ stage: "rcpt", reply: said, mx }).status === "invalid") wrong.push(`${code} ${reply}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("a permanent code with a temporary status never gives invalid, whatever its text", () => {
  const wrong: string[] = [];
  for (const { reply, mx } of WORDINGS.values()) {
    for (const enhanced of ["4.1.1", "4.2.1", "4.3.0"]) {
      const said = { ...parseReply(reply), code: 550, enhanced };
      if (statusOf({ stage: "rcpt", reply: said, mx }).status === "invalid")
        wrong.push(`550 ${enhanced} ${reply}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("a reply before RCPT never gives invalid or valid, whatever its text and code", () => {
  const wrong: string[] = [];
  const codes = [...codesOf(4), ...codesOf(5)];
  let turn = 0;
  for (const { reply, mx } of WORDINGS.values()) {
    for (const stage of BEFORE_RCPT) {
      for (const code of new Set([550, codes[turn++ % 200]!])) {
        for (const said of underCode(reply, code)) {
          const { status } = statusOf({ stage, reply: said, mx });
          if (status !== "unknown") wrong.push(`${stage} ${code} ${reply}`);
        }
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("only a permanent rejection of the recipient counts against the mailbox", () => {
  const against = new Set<string>();
  for (const { reply, mx } of WORDINGS.values()) {
    for (const code of [250, 252, 450, 550]) {
      for (const said of underCode(reply, code)) {
        const { status, answer } = statusOf({ stage: "rcpt", reply: said, mx });
        if (status === "invalid") against.add(`${code} ${answer}`);
      }
    }
  }
  expect([...against].sort()).toEqual(["550 disabled", "550 domain_not_accepted", "550 not_found"]);
});
