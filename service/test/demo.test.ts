/** `npm run demo`: its history, and the live data that its setup creates. */
import { openLab } from "@mailvet/lab";
import { expect } from "vitest";
import { DEMO, OTHER_ACCOUNTS } from "../demo/demo-accounts.ts";
import { setUpDemo } from "../demo/demo-setup.ts";
import { writeHistory } from "../demo/history.ts";
import { DAYS } from "../demo/past-month.ts";
import { openReceiver } from "../demo/receiver.ts";
import { DEMO_WORLD, EHLO_NAME, PROVIDER_WAIT_HOURS } from "../demo/world.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { openTestDatabase } from "./database.ts";
import { testOnOneDay } from "./one-day.ts";
import { openService } from "./service.ts";

testOnOneDay("the demo has a month of usage that adds up, and jobs in every state", async () => {
  await using database = await openTestDatabase();
  const now = new Date();
  await writeHistory(database, now);
  await writeHistory(database, now); // a second start finds it there
  await expectBooksToAddUp(database);
  const { rows: people } = await database.pool.query("select email from accounts");
  expect(people).toHaveLength(1 + OTHER_ACCOUNTS.length);

  await using lab = await openLab(DEMO_WORLD);
  await using receiver = await openReceiver();
  await using service = await openService({ database, lab, env: { EHLO_NAME, PROVIDER_WAIT_HOURS } });
  const ask = async (path: string) => (await service.ask(path, { key: DEMO.apiKey })).body;

  const { days } = await ask("/usage");
  expect(new Set(days.map((day: { date: string }) => day.date)).size).toBe(DAYS);
  expect(new Set(days.map((day: { key_id: string | null }) => day.key_id)).size).toBe(3);
  expect(days.every((day: { valid: number; credits_used: number }) => day.valid < day.credits_used)).toBe(
    true,
  );
  const { lines } = await ask("/credits/statement?kind=checks&limit=100");
  expect(new Set(lines.map((line: { key_id: string | null }) => line.key_id)).size).toBe(3);

  const options = { url: service.url, receiverUrl: receiver.url };
  await setUpDemo(options);
  await setUpDemo(options); // the second call changes nothing
  const jobs: Record<string, string>[] = await ask("/bulk/jobs");
  expect(jobs.map(({ filename, status }) => [filename, status])).toEqual([
    ["crm-export.csv", expect.stringMatching(/queued|processing/)],
    ["partner-leads.csv", "paused"],
    ["old-customers.csv", "cancelled"],
    ["spring-fair.csv", "completed"],
    ["newsletter.csv", "completed"],
  ]);
  expect(Object.keys(jobs[4]!.sub_status_counts!).length).toBeGreaterThan(15);
  await expectBooksToAddUp(database);

  const { totals, overall } = await ask("/feedback/report");
  expect(totals.matched).toBeGreaterThan(500);
  expect(overall.calibrated_bounce_rate, "calibration has learned").not.toBe(overall.predicted_bounce_rate);

  const hooks: { id: string; description: string }[] = await ask("/webhooks");
  expect(hooks.map(({ description }) => description).sort()).toEqual([
    "Old reporting server",
    "Order system",
  ]);
  const healthy = hooks.find(({ description }) => description === "Order system")!;
  await expect
    .poll(async () => (await ask(`/webhooks/${healthy.id}/deliveries?state=delivered`)).length)
    .toBeGreaterThanOrEqual(4);
});
