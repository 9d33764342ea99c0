import { readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createCalibrationCache } from "../src/feedback/calibration-cache.ts";
import { createAnswers } from "../src/validations/answer.ts";

test("a database that cannot be reached fails the one request, and leaves no rejection unhandled", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const pool = new pg.Pool({ host: "127.0.0.1", port: 9 }); // no server there
  onTestFinished(async () => {
    process.off("unhandledRejection", note);
    await pool.end();
  });
  const answers = createAnswers({
    verifier: verifierFrom(readEngineSettings(settingsFrom({}))),
    verdictCache: { findInMemory: () => undefined, findFresh: async () => new Map(), store: async () => {} },
    calibrations: createCalibrationCache({ pool, notices: { on: () => {} } }),
    level: "smtp",
  });
  const context = { accountId: "a", isTest: false, level: "smtp", maxAgeMs: 1_000 } as const;
  await expect(answers.known(context, answers.inspect("ann@shop.io"))).rejects.toThrow("ECONNREFUSED");
  await new Promise(setImmediate); // rejections are reported after the microtasks
  expect(unhandled).toEqual([]);
});
