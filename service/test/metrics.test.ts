/** /metrics of a running service: figures of the process and of the deployment. */
import { randomUUID } from "node:crypto";
import { mailDomain, openLab } from "@mailvet/lab";
import { expect, test, vi } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import { createMetrics } from "../src/http/metrics.ts";
import { countTasks } from "../src/queue/queue-depth.ts";
import { queueGroups, tasks } from "../src/queue/schema.ts";
import { createDeploymentFigures } from "../src/system/deployment-figures.ts";
import { openTestDatabase } from "./database.ts";
import { listsOf } from "./jobs-http-world.ts";
import { PATIENCE } from "./patience.ts";
import { openService } from "./service.ts";

test("after a sandbox job and single checks, the metrics show them", async () => {
  await using lab = await openLab({ "firm.test": mailDomain({ users: ["ann"] }) });
  await using service = await openService({ lab });
  const account = await service.openAccount();
  const check = async () => {
    const asked = { key: account.key, body: { email: "ann@firm.test" } };
    expect((await service.ask("/validation/single", asked)).body).toMatchObject({ status: "valid" });
  };
  await check();
  await check();
  const { key } = await account.makeKey({ mode: "test" });
  const lists = listsOf(service, { key });
  const job = await lists.begin("email\nvalid@sandbox.test\nann@one.example\nbob@two.example\n");
  await lists.ended(job.id);

  const expected = {
    'mailvet_verdicts_total{status="valid",sub_status="",cached="false"}': 1,
    'mailvet_verdict_cache_lookups_total{result="memory"}': 1,
    'mailvet_verdict_cache_lookups_total{result="missing"}': 1,
    'mailvet_probe_findings_total{answer="accepted",provider="other"}': 1,
    'mailvet_smtp_sessions_total{provider="other",outcome="completed"}': 1,
    'mailvet_smtp_replies_total{meaning="accepted",provider="other"}': 1,
    'mailvet_smtp_replies_total{meaning="mailbox_not_found",provider="other"}': 1, // the decoy
    mailvet_smtp_slot_wait_seconds_count: 1,
    'mailvet_dns_lookups_total{lookup="mail_route",outcome="mail_hosts"}': 1,
    'mailvet_dns_lookups_total{lookup="mail_policies",outcome="found"}': 1,
    mailvet_credits_charged_total: 2,
    mailvet_credits_refunded_total: 0,
    'mailvet_job_rows_total{sandbox="true"}': 3,
    'mailvet_job_rows_total{sandbox="false"}': 0,
    'mailvet_jobs_ended_total{state="completed"}': 1,
    'mailvet_jobs{state="processing"}': 0,
    'mailvet_queue_tasks{queue="slice",state="running"}': 0,
    'mailvet_queue_oldest_due_seconds{queue="slice"}': 0,
    'mailvet_dead_letters{queue="slice"}': 0,
    'mailvet_open_breakers{identity="default"}': 0,
    mailvet_database_ready: 1,
  };
  const series = await vi.waitFor(async () => {
    const scraped = await scrape(service.url);
    expect(scraped).toMatchObject(expected);
    return scraped;
  }, PATIENCE);
  expect(series['mailvet_queue_claim_duration_seconds_count{queue="slice"}']).toBeGreaterThan(0);
  expect(series['mailvet_queue_claim_duration_seconds_count{queue="plan"}']).toBeGreaterThan(0);
  expect(series.mailvet_lists_age_seconds).toBeGreaterThan(0);
  expect(JSON.stringify(series)).not.toMatch(new RegExp(`firm\\.test|@|${account.accountId}|${job.id}`));
});

test("tasks are counted per queue and state, and without a database the scrape still answers", async () => {
  const database = await openTestDatabase();
  const { orm } = database;
  const accountId = randomUUID();
  await orm.insert(accounts).values({ id: accountId, email: "ann@team.example", plan: "payg" });
  const [job, paused] = [randomUUID(), randomUUID()];
  await orm.insert(queueGroups).values([
    { id: job, accountId },
    { id: paused, accountId, isPaused: true },
  ]);
  const anHourAgo = new Date(Date.now() - 3_600_000);
  const slice = { queue: "slice", subject: "1", dueAt: anHourAgo } as const;
  await orm.insert(tasks).values([
    { groupId: job, ...slice, state: "ready" },
    { groupId: job, ...slice, state: "waiting", dueAt: new Date(Date.now() + 3_600_000) },
    { groupId: job, ...slice, state: "taken", turnId: randomUUID() },
    { groupId: paused, ...slice, state: "ready" },
  ]);
  const countThrottles = () => [{ identity: "one", throttled: 7, openBreakers: 2 }];
  const listThrottles = () => [
    {
      key: "provider outlook",
      provider: "outlook",
      identity: "one",
      limit: 2,
      rest_ms: 200,
      refused_since: new Date(Date.now() - 3_600_000).toISOString(),
      breaker_open_until: null, // closed by now, and still refused
      last_reply: "550 5.7.606 Access denied",
    },
  ];
  const names = { ehloName: "probe.test", mailFrom: "probe@probe.test", share: 1, isCounted: true as const };
  const identities = [
    { ...names, name: "one", sessionsPerDay: 500 },
    { ...names, name: "two" },
  ];
  // Also of tomorrow, for midnight.
  await database.pool.query(
    `insert into egress_sessions select 'one', (now() at time zone 'utc')::date + day, 507 from generate_series(0, 1) day
     union all values ('one', '2020-01-01'::date, 9)`,
  );
  const render = () => {
    const metrics = createMetrics();
    const figures = createDeploymentFigures({ database, countThrottles, listThrottles, identities });
    metrics.observeDeployment(figures, () => new Date(0).toISOString());
    return metrics.render().then(seriesOf);
  };
  // A busy machine may not read the figures in time.
  const series = await vi.waitFor(async () => {
    const rendered = await render();
    expect(rendered.mailvet_database_ready).toBe(1);
    return rendered;
  }, PATIENCE);
  for (const state of ["due", "delayed", "running", "paused"])
    expect(series[`mailvet_queue_tasks{queue="slice",state="${state}"}`], state).toBe(1);
  // timing: the age of a stored moment, at least an hour on any machine
  expect(series['mailvet_queue_oldest_due_seconds{queue="slice"}']).toBeGreaterThanOrEqual(3600);
  // timing: it began an hour ago
  expect(
    series['mailvet_provider_refused_seconds{identity="one",provider="outlook"}'],
  ).toBeGreaterThanOrEqual(3600);
  expect(series).toMatchObject({
    'mailvet_queue_tasks{queue="delivery",state="due"}': 0,
    'mailvet_throttled_hosts{identity="one"}': 7,
    'mailvet_throttled_hosts{identity="two"}': 0,
    'mailvet_open_breakers{identity="one"}': 2,
    'mailvet_egress_sessions_today{identity="one"}': 500, // the other seven were refused
    'mailvet_egress_sessions_today{identity="two"}': 0,
    'mailvet_egress_sessions_per_day{identity="one"}': 500,
    mailvet_database_ready: 1,
  });

  await database.close();
  const without = await render();
  expect(without.mailvet_database_ready).toBe(0);
  expect(Object.keys(without).filter((name) => /queue_tasks|mailvet_jobs\{|breakers/.test(name))).toEqual([]);
});

test("many tasks are estimated from a sample, and running ones are counted", async () => {
  await using database = await openTestDatabase();
  const { orm, pool } = database;
  const accountId = randomUUID();
  await orm.insert(accounts).values({ id: accountId, email: "ann@team.example", plan: "payg" });
  const groupId = randomUUID();
  await orm.insert(queueGroups).values({ id: groupId, accountId });
  const added = 60_000;
  await pool.query(
    `insert into tasks (group_id, queue, subject, state, due_at, turn_id)
     select $1, 'slice', n, case n % 1000 when 0 then 'taken' else 'ready' end, now(),
       case n % 1000 when 0 then gen_random_uuid() end
     from generate_series(1, ${added}) n`,
    [groupId],
  );
  const counts = (await countTasks(pool)).find(({ queue }) => queue === "slice")!;
  expect(counts.running).toBe(60);
  expect(counts.due).toBe(counts.waiting);
  expect(counts.due / added).toBeGreaterThan(0.5);
  expect(counts.due / added).toBeLessThan(1.5);
});

async function scrape(url: string): Promise<Record<string, number>> {
  return seriesOf(await (await fetch(`${url}/metrics`)).text());
}

function seriesOf(text: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line.startsWith("mailvet_"));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
