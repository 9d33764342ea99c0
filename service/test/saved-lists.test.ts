/** Saved lists: kept, run on a schedule, and what changed is told. */
import type { Job } from "@mailvet/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createJobTransitions } from "../src/jobs/job-transitions.ts";
import { createRecheckJob } from "../src/jobs/recheck/recheck.ts";
import { createLists, type Lists } from "../src/lists/lists.ts";
import { openClaims } from "./claims.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { HOOK } from "./endpoints.ts";
import { listsOf } from "./jobs-http-world.ts";
import { beginHolder } from "./lock-waits.ts";
import { pausedJob } from "./paused-job.ts";
import { expectProblem } from "./problems.ts";
import { openService, type TestService } from "./service.ts";

let service: TestService;
/** As in maintenance, which runs every minute. */
let scheduler: Lists;
const told: string[] = [];
beforeAll(async () => {
  const database = await openTestDatabase();
  await withoutMaintenance(database);
  service = await openService({ database });
  const { tasks } = openClaims(database);
  const publish = async () => {};
  const transitions = createJobTransitions({
    database,
    tasks,
    publish,
    retentionDays: 30,
    unknownRefund: "own_fault",
  });
  const recheckJob = createRecheckJob({ database, transitions });
  scheduler = createLists({
    database,
    recheckJob: () => recheckJob,
    publish,
    notifications: { tell: async (_tx, _owner, { subject }) => void told.push(subject) },
    retentionDays: 30,
    publicUrl: "https://mailvet.example",
  });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await service.database.close();
});

/** Only the scheduler of the test runs lists. */
const withoutMaintenance = ({ pool }: TestDatabase) =>
  pool.query(`
    create function skip() returns trigger language plpgsql as 'begin return null; end';
    create trigger skip before insert on pgboss.job for each row
      when (new.name = 'maintenance') execute function skip();`);

async function saved(credits: number) {
  const ann = await service.openAccount({ credits });
  const { ask, begin, ended, job } = listsOf(service, ann);
  const done = await ended((await begin("email\nvalid@mailvet.test\nmailbox-not-found@mailvet.test\n")).id);
  const body = { job_id: done.id, name: "customers", tags: ["eu"], schedule: "daily" };
  const { body: list, status } = await ask("/lists", { body });
  expect(status).toBe(200);
  return { ann, ask, ended, job, done, list };
}

const makeDue = (listId: string) =>
  service.database.pool.query("update saved_lists set next_run_at = now() where id = $1", [listId]);

/** As if both results had been the other way round, a month ago. */
async function swap({ id }: Job): Promise<void> {
  await service.database.pool.query(
    `update results set checked_at = now() - interval '30 days',
       status = case status when 'valid' then 'invalid' else 'valid' end,
       sub_status = case status when 'valid' then 'mailbox_not_found' else '' end
     where job_id = $1`,
    [id],
  );
}

test("a list is kept, runs when it is due, and shows what changed", async () => {
  const { ann, ask, ended, job, done, list } = await saved(10);
  const { body: hook } = await ask("/webhooks", { body: { url: HOOK, events: ["list.changed"] } });
  expect(list).toMatchObject({ name: "customers", tags: ["eu"], schedule: "daily", stale_after_days: 7 });
  expect((await job(done.id)).expires_at).toBeNull();
  expect((await ask("/lists")).body).toHaveLength(1);

  await makeDue(list.id);
  expect(await scheduler.runDue()).toBe(0); // nothing is stale
  await swap(done);
  await makeDue(list.id);
  expect(await scheduler.runDue()).toBe(1);
  const again = await ended(done.id);
  expect(again).toMatchObject({ attempt: 2, credits_used: 4, expires_at: null });
  const { body: after } = await ask(`/lists/${list.id}`);
  expect(after).toMatchObject({ newly_invalid: 1, recovered: 1, last_error: null });
  expect(after.last_run_at).not.toBeNull();
  expect((await ask(`/lists/${list.id}/changes`)).body).toMatchObject([
    { row: 1, email: "valid@mailvet.test", status: "valid", previous_status: "invalid" },
    { row: 2, status: "invalid", previous_status: "valid" },
  ]);

  const { body: deliveries } = await ask(`/webhooks/${hook.id}/deliveries`);
  expect(deliveries).toMatchObject([{ event: "list.changed" }]);
  expect(JSON.parse(deliveries[0].message).data.list).toMatchObject({ id: list.id, newly_invalid: 1 });
  const owner = { accountId: ann.accountId, isTest: false };
  await service.database.orm.transaction((tx) =>
    scheduler.onEvent(tx, owner, "job.completed", { job: again }),
  );
  expect(told).toContain("customers has changed");

  // A run for which nothing is stale leaves what the last check has changed; one by hand replaces it.
  await makeDue(list.id);
  expect(await scheduler.runDue()).toBe(0);
  expect((await ask(`/lists/${list.id}`)).body).toMatchObject({ newly_invalid: 1, recovered: 1 });
  await ask(`/bulk/jobs/${done.id}/recheck`, { body: { which: "all" } });
  await ended(done.id);
  const { body: byHand } = await ask(`/lists/${list.id}`);
  expect(byHand).toMatchObject({ newly_invalid: 0, recovered: 0 });
  expect(Date.parse(byHand.last_run_at)).toBeGreaterThan(Date.parse(after.last_run_at));
  expect((await ask(`/lists/${list.id}/changes`)).body).toEqual([]);

  const { body: changed } = await ask(`/lists/${list.id}`, { method: "PATCH", body: { schedule: null } });
  expect(changed).toMatchObject({ schedule: null, next_run_at: null });
  expect((await ask(`/lists/${list.id}`, { method: "DELETE" })).status).toBe(204);
  await expectProblem(service, await ask(`/lists/${list.id}`), "list_not_found");
  expect((await job(done.id)).expires_at).not.toBeNull();
});

test("a weekly list whose results are stale after a week checks every week, not every other one", async () => {
  const { ask, done, ended, list } = await saved(10);
  await ask(`/lists/${list.id}`, { method: "PATCH", body: { schedule: "weekly" } });
  const checked = (ago: string) =>
    service.database.pool.query("update results set checked_at = now() - $2::interval where job_id = $1", [
      done.id,
      ago,
    ]);
  await checked("6 days");
  await makeDue(list.id);
  expect(await scheduler.runDue()).toBe(0);
  await checked("6 days 23:00"); // the checks of the last run took an hour
  await makeDue(list.id);
  expect(await scheduler.runDue()).toBe(1);
  expect(await ended(done.id)).toMatchObject({ attempt: 2 });
});

test("a change that repeats the schedule, as the form of the web app does, does not put off the next run", async () => {
  const { ask, list } = await saved(10);
  const changed = async (changes: Record<string, unknown>) =>
    (await ask(`/lists/${list.id}`, { method: "PATCH", body: changes })).body;
  expect(await changed({ name: "clients", schedule: "daily" })).toMatchObject({
    name: "clients",
    next_run_at: list.next_run_at,
  });
  expect(await changed({ schedule: null })).toMatchObject({ next_run_at: null });
  const weekly = await changed({ schedule: "weekly" });
  expect(Date.parse(weekly.next_run_at)).toBeGreaterThan(Date.parse(list.next_run_at));
});

test("a list ends with its job", async () => {
  const { ask, done, list } = await saved(10);
  expect((await ask(`/bulk/jobs/${done.id}`, { method: "DELETE" })).status).toBe(204);
  await expectProblem(service, await ask(`/lists/${list.id}`), "list_not_found");
  expect((await ask("/lists")).body).toEqual([]);
});

test("a list can be deleted while a run of it ends", async () => {
  const { ask, done, list } = await saved(10);
  await using ending = await beginHolder(service.database.pool);
  await ending.query("select from jobs where id = $1 for no key update", [done.id]);
  const deleting = ask(`/lists/${list.id}`, { method: "DELETE" });
  const again = ask(`/lists/${list.id}`, { method: "DELETE" });
  await ending.untilBlocked(2);
  await ending.query("update saved_lists set newly_invalid = 1 where job_id = $1", [done.id]);
  await ending.commit();
  expect([(await deleting).status, (await again).status].sort()).toEqual([204, 404]);
});

test("a run without credits is told, and the next one is planned", async () => {
  const { ask, done, list } = await saved(2);
  await swap(done);
  await makeDue(list.id);
  expect(await scheduler.runDue()).toBe(0);
  const { body } = await ask(`/lists/${list.id}`);
  expect(body.last_error).toContain("This costs 2 credits");
  expect(Date.parse(body.next_run_at)).toBeGreaterThan(Date.parse(body.last_run_at));
  expect(told).toContain("customers needs credits");
});

test("a run that too many active jobs keep from starting is tried again soon, not at the next time", async () => {
  const { ann, ask, done, ended, list } = await saved(10);
  const { pool } = service.database;
  const { begin } = listsOf(service, ann);
  const other = await pausedJob(
    service,
    { key: ann.key },
    async () => (await begin("email\nslow-3s@mailvet.test\n")).id,
  );
  await swap(done);
  const run = async () => {
    await makeDue(list.id);
    return scheduler.runDue();
  };
  await pool.query("update accounts set plan = 'free' where id = $1", [ann.accountId]); // one active job
  told.length = 0;
  expect(await run()).toBe(0);
  await pool.query("update accounts set plan = 'payg' where id = $1", [ann.accountId]);
  const { body } = await ask(`/lists/${list.id}`);
  expect(Date.parse(body.next_run_at) - Date.now()).toBeLessThan(3_600_000);
  expect(body.last_error).toContain("active job");
  expect(told).toEqual([]);

  await ask(`/bulk/jobs/${other}/cancel`, { method: "POST" });
  expect(await run()).toBe(1);
  expect(await ended(done.id)).toMatchObject({ attempt: 2 });
  expect((await ask(`/lists/${list.id}`)).body).toMatchObject({ last_error: null });
});

test("a run that the database interrupts is started once more, soon", async () => {
  const { ask, ended, job, done, list } = await saved(10);
  const expectSoon = async () => {
    const { body } = await ask(`/lists/${list.id}`);
    expect(Date.parse(body.next_run_at) - Date.now()).toBeLessThan(3_600_000);
    expect(body.last_run_at).toBeNull();
    expect(await job(done.id)).toMatchObject({ attempt: 1, status: "completed" });
  };
  await swap(done);
  await makeDue(list.id);
  {
    await using starting = await beginHolder(service.database.pool);
    await starting.query("select from jobs where id = $1 for no key update", [done.id]);
    const running = expect(scheduler.runDue()).rejects.toThrow();
    await starting.untilBlocked(1);
    await starting.breakBlocked();
    await running;
  }
  await expectSoon();

  // Now at its end: the next time is planned in the transaction that starts the run.
  await makeDue(list.id);
  {
    await using starting = await beginHolder(service.database.pool);
    await using planning = await beginHolder(service.database.pool);
    await starting.query("select from jobs where id = $1 for no key update", [done.id]);
    const running = expect(scheduler.runDue()).rejects.toThrow();
    await starting.untilBlocked(1);
    await planning.query("select from saved_lists where id = $1 for no key update", [list.id]);
    await starting.commit();
    await planning.untilBlocked(1);
    await planning.breakBlocked();
    await running;
  }
  await expectSoon();

  await makeDue(list.id);
  const started = await Promise.all([scheduler.runDue(), scheduler.runDue()]);
  expect(started.sort()).toEqual([0, 1]);
  expect(await ended(done.id)).toMatchObject({ attempt: 2, credits_used: 4 });
  const { body } = await ask(`/lists/${list.id}`);
  expect(Date.parse(body.next_run_at) - Date.now()).toBeGreaterThan(23 * 3_600_000);
});

test("a run does not start when its list is given another schedule meanwhile", async () => {
  const { ask, job, done, list } = await saved(10);
  await swap(done);
  await makeDue(list.id);
  await using starting = await beginHolder(service.database.pool);
  await starting.query("select from jobs where id = $1 for no key update", [done.id]);
  const running = scheduler.runDue();
  await starting.untilBlocked(1);
  await ask(`/lists/${list.id}`, { method: "PATCH", body: { schedule: "weekly" } });
  const { body: changed } = await ask(`/lists/${list.id}`);
  await starting.commit();
  expect(await running).toBe(0);
  expect((await job(done.id)).attempt).toBe(1);
  expect((await ask(`/lists/${list.id}`)).body).toEqual(changed);
});
