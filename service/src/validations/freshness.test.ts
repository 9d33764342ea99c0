import { ALL_SUB_STATUSES, STATUS_OF } from "@mailvet/contract";
import { decide, type Evidence, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { expect, test } from "vitest";
import { freshForMs } from "./freshness.ts";
import { SANDBOX_OUTCOMES } from "./sandbox-outcomes.ts";

const inspection = verifierFrom(readEngineSettings(settingsFrom({}))).begin(
  "ann@shop.example",
  "syntax",
).evidence;
const HOUR = 3_600_000;

test.for(ALL_SUB_STATUSES.filter((subStatus) => STATUS_OF[subStatus] === "unknown"))(
  "%s says nothing about the mailbox and is never fresh",
  (subStatus) => {
    expect(freshForMs(SANDBOX_OUTCOMES[subStatus](inspection))).toBe(0);
  },
);

test("a proven mailbox is fresh for days, a missing one for a day, a missing domain for an hour", () => {
  expect(freshForMs(SANDBOX_OUTCOMES[""](inspection))).toBe(72 * HOUR);
  expect(freshForMs(SANDBOX_OUTCOMES.mailbox_not_found(inspection))).toBe(24 * HOUR);
  expect(freshForMs(SANDBOX_OUTCOMES.domain_not_found(inspection))).toBe(HOUR);
});

test("a disposable address is fresh as long as its server's reply, and at most a day", () => {
  const disposable = (evidence: Evidence): Evidence => ({ ...evidence, disposable: "domain" });
  const greylisted = disposable(SANDBOX_OUTCOMES.greylisted(inspection));
  expect(decide(greylisted).subStatus).toBe("disposable");
  expect(freshForMs(greylisted)).toBe(0);
  expect(freshForMs(disposable(SANDBOX_OUTCOMES.mailbox_full(inspection)))).toBe(HOUR);
  expect(freshForMs(disposable(SANDBOX_OUTCOMES[""](inspection)))).toBe(24 * HOUR);
});
