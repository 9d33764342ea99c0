import { ALL_SUB_STATUSES, STATUS_OF } from "@mailvet/contract";
import { decide, type Evidence, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { expect, test } from "vitest";
import { expiryDate, freshForMs, MAX_FRESH_DAYS } from "./freshness.ts";
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

test("nothing is fresh for longer than the partitions that are read for fresh verdicts", () => {
  for (const subStatus of ALL_SUB_STATUSES)
    expect(freshForMs(SANDBOX_OUTCOMES[subStatus](inspection))).toBeLessThanOrEqual(
      MAX_FRESH_DAYS * 24 * HOUR,
    );
});

test("evidence expires on the first Monday after it was stale for 30 days", () => {
  const at = (time: string) => expiryDate(Date.parse(time));
  expect(at("2026-11-14T00:00:00Z")).toBe("2026-12-14"); // a Monday
  expect(at("2026-11-14T00:00:01Z")).toBe("2026-12-21");
  expect(at("2026-11-21T00:00:00Z")).toBe("2026-12-21");
});
