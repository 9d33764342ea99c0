/** A deployment whose scores are wrong in its own way, before and after a thousand outcomes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../src/base/caller.ts";
import { createCalibrationCache } from "../src/feedback/calibration-cache.ts";
import { createFeedback } from "../src/feedback/feedback.ts";
import { remember, type Said, seeded } from "./feedback-world.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
let ann: TestAccount;
beforeAll(async () => {
  service = await openService({ env: { AI_ENHANCEMENT: "off" } }); // so that all catch-alls are scored alike
  ann = await service.openAccount({ credits: 10_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

/** True bounce rates: two kinds of catch-all with equal scores, and mailboxes with accurate scores. */
const WORLD = [
  { name: "lenient", subStatus: "catch_all", provider: "google_workspace", delivers: 0.85 },
  { name: "strict", subStatus: "catch_all", provider: "microsoft_365", delivers: 0.35 },
  { name: "proven", subStatus: "", provider: "google_workspace", delivers: 0.98 },
] as const;
const EACH = 334;

const mailboxes = (from: number, count: number) =>
  WORLD.flatMap((sort) =>
    Array.from({ length: count }, (_, n) => ({
      ...sort,
      email: `m${from + n}@${sort.name}.io`,
    })),
  );

test("after 1,000 outcomes scores predict bounces within 3 points, overall and per provider", async () => {
  const chance = seeded(20_261_115);
  const sent = mailboxes(0, EACH);
  const fresh = mailboxes(EACH, EACH);
  await remember(service, ann.accountId, [...sent, ...fresh] satisfies Said[]);
  const before = await meanScores(fresh.map(({ email }) => email));
  expect(Math.abs(before.lenient - 85)).toBeGreaterThan(10);
  expect(Math.abs(before.strict - 35)).toBeGreaterThan(10);

  const rows = sent.map(
    ({ email, delivers }) => `${email},${chance() < delivers ? "delivered" : "hard_bounce"}`,
  );
  const { body: summary } = await service.ask("/feedback", {
    key: ann.key,
    body: `email,event\n${rows.join("\n")}\n`,
    headers: { "content-type": "text/csv" },
  });
  expect(summary).toMatchObject({ received: 1_002, stored: 1_002, matched: 1_002 });

  const { body: report } = await service.ask("/feedback/report", { key: ann.key });
  for (const one of [report.overall, ...report.by_provider]) {
    expect(Math.abs(one.calibrated_bounce_rate - one.real_bounce_rate)).toBeLessThan(0.03);
  }
  const strict = report.by_provider.find(
    ({ provider }: { provider: string }) => provider === "microsoft_365",
  );
  expect(Math.abs(strict.predicted_bounce_rate - strict.real_bounce_rate)).toBeGreaterThan(0.1);
  expect(report.by_week).toHaveLength(1);

  // Also mailboxes without reported outcomes, compared with the true rates.
  const after = await meanScores(fresh.map(({ email }) => email));
  expect(Math.abs(after.lenient - 85)).toBeLessThan(6);
  expect(Math.abs(after.strict - 35)).toBeLessThan(6);
  expect(Math.abs(after.proven - before.proven)).toBeLessThan(3);
});

test("outcomes count in the process that stored them before any notification comes", async () => {
  const { accountId } = await service.openAccount();
  const calibrations = createCalibrationCache({ pool: service.database.pool, notices: { on: () => {} } });
  const feedback = createFeedback({
    database: service.database,
    calibrations,
    rescore: async (_, addresses) =>
      new Map(
        addresses.map((one) => [one, { score: 50, subStatus: "catch_all", provider: "", checkedAtMs: 0 }]),
      ),
    sandboxDomain: "mailvet.test",
    limits: { maxEmailsPerFile: 100, maxUploadBytes: 1_000 },
  });
  const caller = { accountId, isTest: false } as Caller;
  expect(await calibrations.find(accountId)).toBeUndefined();
  await feedback.report(caller, [{ email: "ann@strict.io", outcome: "bounced" }]);
  expect((await calibrations.find(accountId))?.calibration?.outcomes).toBe(1);
  await feedback.deleteAll(caller);
  expect(await calibrations.find(accountId)).toBeUndefined();
});

test("scores of other accounts and of the sandbox are unchanged", async () => {
  const bob = await service.openAccount({ credits: 1_000 });
  const said = mailboxes(0, 1);
  await remember(service, bob.accountId, said);
  const scoreFor = async ({ key }: TestAccount, email: string) =>
    (await service.ask("/validation/single", { key, body: { email } })).body.score;
  const bobs = await Promise.all(said.map(({ email }) => scoreFor(bob, email)));
  expect(bobs[0]).toBe(bobs[1]); // both are catch-alls to him
  expect(await scoreFor(ann, "m500@lenient.io")).toBeGreaterThan(bobs[0] + 10);
  expect(await scoreFor(ann, "m500@strict.io")).toBeLessThan(bobs[0] - 10);
  expect(await scoreFor(ann, "catch-all@mailvet.test")).toBe(await scoreFor(bob, "catch-all@mailvet.test"));
});

test("results of a job have the same scores as a single check", async () => {
  const emails = ["m400@lenient.io", "m400@strict.io", "m400@proven.io"];
  const form = new FormData();
  form.append("file", new Blob([`email\n${emails.join("\n")}\n`]), "list.csv");
  const { body: upload } = await service.ask("/bulk/upload/preview", { key: ann.key, form });
  const confirmation = { upload_id: upload.upload_id, email_column: "email" };
  const { body: job } = await service.ask("/bulk/upload/confirm", { key: ann.key, body: confirmation });
  await expect
    .poll(async () => (await service.ask(`/bulk/jobs/${job.id}`, { key: ann.key })).body.status)
    .toBe("completed");
  const { body: results } = await service.ask(`/bulk/jobs/${job.id}/results`, { key: ann.key });
  for (const { email, score } of results) {
    const single = await service.ask("/validation/single", { key: ann.key, body: { email } });
    expect([email, score]).toEqual([email, single.body.score]);
  }
  expect(results).toHaveLength(3);
});

async function meanScores(
  emails: readonly string[],
): Promise<Record<"lenient" | "strict" | "proven", number>> {
  const scores = { lenient: [0], strict: [0], proven: [0] };
  for (const part of [emails.slice(0, 1_000), emails.slice(1_000)].filter(({ length }) => length > 0)) {
    const { body } = await service.ask("/validation/bulk", { key: ann.key, body: { emails: part } });
    for (const { email, score } of body.results) {
      scores[/@(\w+)\./.exec(email)![1] as keyof typeof scores].push(score);
    }
  }
  const mean = (list: number[]) => list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length - 1);
  return { lenient: mean(scores.lenient), strict: mean(scores.strict), proven: mean(scores.proven) };
}
