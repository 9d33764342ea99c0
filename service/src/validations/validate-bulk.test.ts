import { ALL_SUB_STATUSES } from "@mailvet/contract";
import { readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Caller } from "../base/caller.ts";
import { RequestCharge } from "../credits/request-charge.ts";
import { createAnswers } from "./answer.ts";
import { type BulkDeps, validateBulk } from "./validate-bulk.ts";

const never = () => {
  throw new Error("a test key contacts no server and is not charged");
};
const answers = createAnswers({
  verifier: verifierFrom(readEngineSettings(settingsFrom({}))),
  verdictCache: { findInMemory: never, findFresh: never, store: never },
  level: "smtp",
});
const deps: BulkDeps = {
  answers,
  ledger: { charge: never },
  unknownRefund: "own_fault",
  budgetMs: 1000,
  log: never,
  countVerdict: never,
};
const by: Caller["by"] = { kind: "key", keyId: "k", scopes: ["bulk"] };
const caller: Caller = { accountId: "a", isTest: true, plan: "payg", isOperator: false, by };
const validate = (emails: string[]) => {
  const charge = new RequestCharge(caller, "r", undefined);
  return validateBulk(deps, caller, emails, { requestId: "r", charge, startedAtMs: performance.now() });
};

const name = fc.constantFrom(
  ...ALL_SUB_STATUSES.map((subStatus) => subStatus.replaceAll("_", "-") || "valid"),
);
const domain = fc.constantFrom("shop.io", "Bücher.example", "xn--bcher-kva.example", "mailvet.test");
const wellFormed = fc.tuple(name, fc.nat(2), domain).map(([one, tag, at]) => `${one}+${tag}@${at}`);
const other = fc.oneof(
  fc.constantFrom("", " ", "ann", "ann@", "a b@shop.io", "\fvalid+1@shop.io"),
  fc.string(),
);
const email = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: wellFormed }, other), fc.constantFrom("", " ", "\t"), fc.boolean())
  .map(([text, blank, isLoud]) => `${blank}${isLoud ? text.toUpperCase() : text}${blank}`);

test("the counts of any list add up, and each unique email has one result, in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(email, { minLength: 1, maxLength: 60 }), async (emails) => {
      const summary = await validate(emails);
      const { valid_count, invalid_count, risky_count, unknown_count, duplicate_count } = summary;
      expect(summary.total).toBe(emails.length);
      expect(valid_count + invalid_count + risky_count + unknown_count + duplicate_count).toBe(emails.length);
      expect(summary.credits_used).toBe(emails.length - duplicate_count);
      expect(summary.results).toHaveLength(summary.credits_used);
      const places = summary.results.map((item) => emails.indexOf(item.email));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(new Set(places).size).toBe(places.length);
      expect(places).not.toContain(-1);
      const counted = (status: string) => summary.results.filter((item) => item.status === status).length;
      expect([valid_count, invalid_count, risky_count, unknown_count]).toEqual(
        ["valid", "invalid", "risky", "unknown"].map(counted),
      );
    }),
    { numRuns: 100 },
  );
});

test("spellings of one address are duplicates, and the first one is shown", async () => {
  const summary = await validate([
    " Valid@BÜCHER.example",
    "valid@xn--bcher-kva.example",
    "valid@bücher.example\n",
    "Not An Address",
    " not an address",
    "valid+1@bücher.example",
  ]);
  expect(summary).toMatchObject({
    total: 6,
    duplicate_count: 3,
    credits_used: 3,
    valid_count: 2,
    invalid_count: 1,
  });
  expect(summary.results.map((item) => item.email)).toEqual([
    " Valid@BÜCHER.example",
    "Not An Address",
    "valid+1@bücher.example",
  ]);
});

test("an address after a form feed is malformed and no duplicate of the address itself", async () => {
  const { results } = await validate(["\fvalid@shop.io", "valid@shop.io"]);
  expect(results.map((item) => item.sub_status)).toEqual(["syntax_error", ""]);
});
