import { ALL_SUB_STATUSES, STATUS_OF, type SubStatus } from "@mailvet/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bandOf,
  type CalibrationCell,
  calibrateScore,
  calibrationFrom,
  predictedBounceRate,
  scoreWithCalibration,
} from "./calibration.ts";
import type { Evidence } from "./evidence.ts";
import { decide } from "./verdict.ts";

/** Outcomes of mailboxes with the same score. */
const cell = (provider: string, subStatus: SubStatus, score: number, outcomes: number, bounced: number) => ({
  provider,
  band: bandOf(score, subStatus),
  outcomes,
  bounced,
  predicted: outcomes * predictedBounceRate(score),
});

test("without outcomes scores are unchanged", () => {
  expect(calibrateScore(62, "catch_all", "other", calibrationFrom([]))).toBe(62);
});

test("many outcomes move a provider's scores to the observed bounce rate", () => {
  const calibration = calibrationFrom([
    cell("good", "catch_all", 62, 400, 60),
    cell("bad", "catch_all", 62, 400, 260),
  ]);
  expect(Math.abs(calibrateScore(62, "catch_all", "good", calibration) - 85)).toBeLessThanOrEqual(2);
  expect(Math.abs(calibrateScore(62, "catch_all", "bad", calibration) - 35)).toBeLessThanOrEqual(2);
});

test("a few outcomes move a score little, and one hardly at all", () => {
  const after = (outcomes: number) =>
    calibrateScore(
      62,
      "catch_all",
      "bad",
      calibrationFrom([cell("bad", "catch_all", 62, outcomes, outcomes)]),
    );
  expect(62 - after(1)).toBeLessThanOrEqual(6);
  expect(62 - after(5)).toBeLessThan(22);
  expect(after(5)).toBeLessThan(after(1));
});

test("a band without outcomes uses its provider's, a provider without outcomes the account's", () => {
  const calibration = calibrationFrom([cell("bad", "catch_all", 62, 500, 400)]);
  const moved = (score: number, provider: string) =>
    score - calibrateScore(score, "catch_all", provider, calibration);
  expect(moved(45, "bad")).toBeGreaterThan(20);
  expect(moved(45, "never seen")).toBeGreaterThan(20);
  const mixed = calibrationFrom([
    cell("bad", "catch_all", 62, 500, 400),
    cell("good", "catch_all", 62, 500, 100),
  ]);
  expect(calibrateScore(45, "catch_all", "bad", mixed)).toBeLessThan(45 - 20);
  expect(Math.abs(calibrateScore(45, "catch_all", "never seen", mixed) - 45)).toBeLessThan(15);
});

test("bounces at catch-all domains do not lower proven mailboxes of the same provider", () => {
  const calibration = calibrationFrom([
    cell("mixed", "catch_all", 62, 800, 600),
    cell("mixed", "", 96, 20, 1),
  ]);
  expect(calibrateScore(96, "", "mixed", calibration)).toBeGreaterThanOrEqual(95);
});

test("a full or disposable mailbox is not raised because catch-all domains do well", () => {
  const calibration = calibrationFrom([cell("good", "catch_all", 62, 1_000, 30)]);
  expect(calibrateScore(62, "catch_all", "good", calibration)).toBeGreaterThan(85);
  expect(calibrateScore(15, "mailbox_full", "good", calibration)).toBe(15);
  expect(calibrateScore(40, "disposable", "good", calibration)).toBe(40);
  expect(calibrateScore(75, "low_quality", "good", calibration)).toBe(75);
});

const cells = fc.array(
  fc
    .record({
      provider: fc.constantFrom("a", "b", ""),
      subStatus: fc.constantFrom(...ALL_SUB_STATUSES),
      score: fc.integer({ min: 0, max: 100 }),
      outcomes: fc.integer({ min: 0, max: 100_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(
      ({ provider, subStatus, score, outcomes, share }): CalibrationCell =>
        cell(provider, subStatus, score, outcomes, Math.round(outcomes * share)),
    ),
  { maxLength: 30 },
);

test("an invalid address never rises above a valid one, and no score moves by more than 30", () => {
  fc.assert(
    fc.property(
      cells,
      fc.constantFrom(...ALL_SUB_STATUSES),
      fc.integer({ min: 0, max: 100 }),
      (reported, subStatus, score) => {
        const after = calibrateScore(score, subStatus, "a", calibrationFrom(reported));
        expect(Number.isInteger(after)).toBe(true);
        expect(Math.abs(after - score)).toBeLessThanOrEqual(30);
        if (STATUS_OF[subStatus] === "invalid") expect(after).toBe(score);
        else if (score > 5) expect(after).toBeGreaterThan(5);
        if (subStatus === "catch_all" && score <= 89) expect(after).toBeLessThanOrEqual(89);
        if (subStatus === "" && score >= 70) expect(after).toBeGreaterThanOrEqual(70);
      },
    ),
    { numRuns: 500 },
  );
});

test("outcomes of other mailboxes never raise a mailbox that bounced or lower one that received a message", () => {
  const evidence: Evidence = {
    email: "ann@shop.io",
    address: { local: "ann", domain: "shop.io", normalized: "ann@shop.io" } as NonNullable<
      Evidence["address"]
    >,
    route: { kind: "mail_hosts", implicit: false, hosts: [], isPartial: false },
    provider: "good",
    mailbox: { answer: "accepted" },
    decoy: { answer: "accepted", confidence: 0.98 },
  };
  const calibration = calibrationFrom([cell("good", "catch_all", 62, 1_000, 50)]);
  const scoreOf = (one: Evidence, by = calibration) => scoreWithCalibration(one, decide(one), by);
  expect(scoreOf(evidence)).toBeGreaterThan(80);
  const bounced: Evidence = { ...evidence, outcome: { outcome: "bounced", reportedAtMs: Date.now() } };
  expect(scoreOf(bounced)).toBe(scoreOf(bounced, calibrationFrom([])));
  expect(scoreOf(bounced)).toBeLessThan(40);
  const bad = calibrationFrom([cell("good", "catch_all", 25, 1_000, 990)]);
  expect(scoreOf(bounced, bad)).toBeLessThan(scoreOf(bounced)); // like other mailboxes of the domain without outcomes
  const delivered: Evidence = { ...evidence, outcome: { outcome: "delivered", reportedAtMs: Date.now() } };
  expect(scoreOf(delivered, bad)).toBe(scoreOf(delivered, calibrationFrom([])));
});
