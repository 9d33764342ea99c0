/** The operator's report on the installation. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { CURRENT_RELEASES } from "@mailvet/embedded-postgres";
import { mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import { createJobRate } from "../src/jobs/job-rate.ts";
import { jobs } from "../src/jobs/schema.ts";
import { throttleStates } from "../src/pacing/schema.ts";
import { queueDepth } from "../src/queue/queue-depth.ts";
import { queueGroups, tasks } from "../src/queue/schema.ts";
import { listSharedThrottles } from "../src/system/shared-throttle-report.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { openService } from "./service.ts";

test("only the operator sees the processes, the queue and the storage", async () => {
  await using service = await openService();
  const cookie = await service.operatorCookie();
  const { status, body } = await service.ask("/operator/system", { cookie });
  expect(status).toBe(200);
  const nothing = { waiting: 0, due: 0, in_hand: 0, oldest_due_at: null };
  expect(body).toMatchObject({
    storage: "external",
    processes: [{ role: "all", pid: process.pid }],
    queue: { jobs: nothing, webhooks: nothing },
    jobs: { queued: 0, processing: 0, paused: 0, rows_per_second: null },
    pacing: [],
    lists: { source: "packaged", refresh: "off", last_failure: null },
    egress: null,
  });
  expect(body.database_bytes).toBeGreaterThan(1_000_000);

  const { cookie: anns, key } = await service.openAccount();
  expect((await service.ask("/operator/system", { cookie: anns })).status).toBe(403);
  expect((await service.ask("/operator/system", { key })).status).toBe(403);
  expect((await service.ask("/operator/system/doctor", { method: "POST", cookie: anns })).status).toBe(403);
});

test("diagnostics are returned, and then part of the report", async () => {
  await using lab = await openLab({ "gmail.com": mailDomain({ users: ["annabel.lab"] }) });
  await using service = await openService({ lab });
  const cookie = await service.operatorCookie();
  const call = () => service.ask("/operator/system/doctor", { method: "POST", cookie });
  const [one, other] = await Promise.all([call(), call()]);
  expect(one.status).toBe(200);
  const port25 = one.body.findings.find((finding: { name: string }) => finding.name === "port 25");
  expect(port25).toMatchObject({ outcome: "warning", found: expect.stringContaining("gmail.com answered") });
  expect(one.body.findings.at(-1)).toMatchObject({ name: "PostgreSQL release", identity: null });
  expect(other.body).toEqual(one.body);
  expect((await call()).body).toEqual(one.body);
  expect((await service.ask("/operator/system", { cookie })).body.egress).toEqual(one.body);
});

test.each([
  ["is a minor release behind", -1, [expect.stringContaining("1 security release behind")]],
  ["is current", 0, []],
])("the start logs postgres_outdated where the server %s: %i", async (_, behind, wanted) => {
  await using database = await openTestDatabase();
  const { pool } = database;
  const number = 170_000 + CURRENT_RELEASES.minors[17]! + behind;
  await pool.query(`
    create function public.current_setting(name text) returns text language sql as $$
      select case name when 'server_version_num' then '${number}' else pg_catalog.current_setting(name) end $$`);
  await pool.query(
    "do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$",
  );
  const logged: { event?: string; found?: string }[] = [];
  await using _service = await openService({ database, logTo: (line) => logged.push(JSON.parse(line)) });
  const found = logged.filter(({ event }) => event === "postgres_outdated").map((line) => line.found);
  expect(found).toEqual(wanted);
});

test("tasks are counted per queue: waiting, due and running", async () => {
  await using database = await openTestDatabase();
  const { orm, pool } = database;
  const accountId = await openAccount(database);
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const open = async (isPaused = false) => {
    const id = randomUUID();
    await orm.insert(queueGroups).values({ id, accountId, isPaused });
    return id;
  };
  const [job, paused, hook] = [await open(), await open(true), await open()];
  const slice = { queue: "slice", subject: "1" } as const;
  const oldest = minutes(-5);
  await orm.insert(tasks).values([
    { groupId: job, queue: "plan", subject: "p", state: "waiting", dueAt: oldest },
    { groupId: job, ...slice, state: "ready", dueAt: minutes(-1) },
    { groupId: job, ...slice, state: "waiting", dueAt: minutes(10) },
    { groupId: job, ...slice, state: "taken", dueAt: minutes(-9), turnId: randomUUID() },
    { groupId: paused, ...slice, state: "ready", dueAt: minutes(-30) },
    { groupId: hook, queue: "delivery", subject: "d", state: "waiting", dueAt: minutes(3) },
  ]);
  expect(await queueDepth(pool)).toEqual({
    jobs: { waiting: 4, due: 2, in_hand: 1, oldest_due_at: oldest.toISOString() },
    rechecks: { waiting: 0, due: 0, in_hand: 0, oldest_due_at: null },
    webhooks: { waiting: 1, due: 0, in_hand: 0, oldest_due_at: null },
  });
});

test("the rate counts verdicts since the last report, including jobs that ended meanwhile", async () => {
  await using database = await openTestDatabase();
  const accountId = await openAccount(database);
  const [going, ending] = [randomUUID(), randomUUID()];
  await database.orm
    .insert(jobs)
    .values([
      jobRow(accountId, { id: going, status: "processing", processed: 1000 }),
      jobRow(accountId, { id: ending, status: "processing", processed: 500 }),
      jobRow(accountId, { status: "queued" }),
      jobRow(accountId, { status: "paused", processed: 70 }),
      jobRow(accountId, { status: "completed", processed: 9000, ...ended(60_000) }),
    ]);
  const jobRate = createJobRate(database.pool);
  const counts = { queued: 1, processing: 2, paused: 1 };
  expect(await jobRate.sample()).toEqual({ ...counts, rows_per_second: null });

  await wait(250); // timing: the clock is the database's
  const { pool } = database;
  await pool.query("update jobs set processed = 1100 where id = $1", [going]);
  await pool.query(
    `update jobs set processed = 600, status = 'completed', completed_at = now(),
       expires_at = now() + interval '1 day' where id = $1`,
    [ending],
  );
  const { rows_per_second: rate, ...now } = await jobRate.sample();
  expect(now).toEqual({ ...counts, processing: 1 });
  expect(rate).toBeGreaterThan(0);
  expect(rate).toBeLessThanOrEqual(200 / 0.24);
});

test("throttled hosts are listed with open breakers first, then the slowest", async () => {
  await using database = await openTestDatabase();
  const reply = { code: 550, enhanced: "5.7.1", lines: ["Blocked,", "x".repeat(2_400)] };
  const soon = new Date(Date.now() + 600_000);
  await database.orm.insert(throttleStates).values([
    { key: "mx.easy.example", limit: 2, restMs: 100 },
    { key: "mx.slow.example", limit: 1, restMs: 60_000 },
    {
      key: "mx.over.example",
      limit: 1,
      restMs: 0,
      refusals: 3,
      trippedUntil: new Date(0),
      trippedBy: reply,
    },
    { key: "mx.closed.example", limit: 1, restMs: 0, refusals: 3, trippedUntil: soon, trippedBy: reply },
    ...Array.from({ length: 60 }, (_, n) => ({ key: `mx${n}.example`, limit: 4, restMs: 0 })),
  ]);
  const listed = await listSharedThrottles(database.pool);
  expect(listed).toHaveLength(64);
  expect(listed.slice(0, 4).map(({ key }) => key)).toEqual([
    "mx.closed.example",
    "mx.over.example",
    "mx.slow.example",
    "mx.easy.example",
  ]);
  expect(listed[0]).toMatchObject({
    limit: 1,
    rest_ms: 0,
    breaker_open_until: soon.toISOString(),
    last_reply: expect.stringMatching(/^550 5\.7\.1 Blocked, x+…$/),
  });
  expect(listed[1]!.breaker_open_until).toBeNull();
});

async function openAccount({ orm }: TestDatabase): Promise<string> {
  const id = randomUUID();
  await orm.insert(accounts).values({ id, email: `${id}@team.example`, plan: "payg" });
  return id;
}

function jobRow(accountId: string, row: Partial<typeof jobs.$inferInsert>): typeof jobs.$inferInsert {
  return {
    id: randomUUID(),
    accountId,
    uploadId: randomUUID(),
    isTest: false,
    status: "queued",
    filename: "list.csv",
    emailColumn: "email",
    columnNumber: 0,
    totalRows: 10_000,
    totalEmails: 10_000,
    uniqueEmails: 10_000,
    ...row,
  };
}

const ended = (agoMs: number) => ({
  completedAt: new Date(Date.now() - agoMs),
  expiresAt: new Date(Date.now() + 86_400_000),
});

test("the operator lists dead letters and redrives them", async () => {
  await using service = await openService();
  const { accountId, cookie: anns } = await service.openAccount({ credits: 1 });
  const task = {
    queue: "recheck",
    groupId: accountId,
    accountId,
    failures: 5,
    losses: 1,
    error: "no",
    details: {},
  };
  const { pool } = service.database;
  const [recheck] = (
    await pool.query<{ id: string }>(
      `insert into rechecks (account_id, request_id, email, address_hash, is_test)
       values ($1, 'r', 'valid@mailvet.test', '\\x00', false) returning id`,
      [accountId],
    )
  ).rows;
  const add = async (subject: string): Promise<string> => {
    const text = "insert into pgboss.job (name, data) values ('dead_letter', $1) returning id";
    return (await pool.query(text, [{ ...task, subject }])).rows[0].id;
  };
  const [obsolete, id] = [await add(randomUUID()), await add(recheck!.id)];
  const cookie = await service.operatorCookie();
  const ask = (path: string, method = "GET", by = cookie) => service.ask(path, { method, cookie: by });

  const listed = await ask("/operator/dead-letters?limit=1");
  expect([listed.status, listed.headers.get("x-total-count")]).toEqual([200, "2"]);
  expect(listed.body).toEqual([
    {
      id,
      kind: "recheck",
      account_id: accountId,
      group_id: accountId,
      subject: recheck!.id,
      failures: 5,
      losses: 1,
      error: "no",
      created_at: expect.any(String),
    },
  ]);
  expect((await ask("/operator/dead-letters", "GET", anns)).status).toBe(403);
  expect((await ask(`/operator/dead-letters/${id}/redrive`, "POST", anns)).status).toBe(403);

  expect((await ask(`/operator/dead-letters/${id}/redrive`, "POST")).status).toBe(204);
  expect((await ask(`/operator/dead-letters/${id}/redrive`, "POST")).body.code).toBe("dead_letter_not_found");
  expect((await ask(`/operator/dead-letters/${obsolete}/redrive`, "POST")).body.code).toBe(
    "dead_letter_obsolete",
  );
  // The worker of this service repeats the check.
  await expect.poll(async () => (await pool.query("select from rechecks")).rowCount).toBe(0);
});
