/**
 * What the workers of a process do at intervals: heartbeats for running tasks, release of expired claims, and a look for
 * tasks that are due although no notification arrived.
 *
 * Heartbeats have a connection of their own, so that neither a busy pool nor a slow release delays them. An idle process
 * sends one statement every five seconds.
 */
import type { LogEvent } from "../base/log-events.ts";
import type { Database } from "../db/database.ts";
import type { Boss } from "./boss.ts";
import { type BossQueue, releaseExpired, TURN_TIMING, type TurnTiming } from "./expired-turns.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { createLogOnce } from "./log-once.ts";
import type { Tasks } from "./tasks.ts";
import type { Worker } from "./worker.ts";

export type QueuePoll = { close(): Promise<void> };

export type QueuePollDeps = {
  database: Pick<Database, "pool" | "connection">;
  boss: Boss;
  tasks: Pick<Tasks, "onDelayed">;
  workers: readonly Pick<Worker, "queue" | "poke" | "turns">[];
  log: LogEvent;
  timing?: TurnTiming;
};

const POLL_MS = 5000;
/** For a task that is overdue because another process is making it ready. */
const MIN_DELAY_MS = 100;

export async function startQueuePoll(deps: QueuePollDeps): Promise<QueuePoll> {
  const { database, boss, workers, log, timing = TURN_TIMING } = deps;
  const { pool } = database;
  const queues: BossQueue[] = [...workers.map(({ queue }) => queue), "maintenance"];
  const logOnce = createLogOnce(log);
  const pollMs = Math.min(POLL_MS, timing.leaseMs / 3);
  let steadySinceMs: number | undefined;
  let lastPollAtMs: number | undefined;
  let dueTimer: NodeJS.Timeout | undefined;
  let dueAtMs = Number.POSITIVE_INFINITY;
  let pending: Promise<void> = Promise.resolve();
  let isClosed = false;

  const release = async (queue: BossQueue, leaseMs: number) => {
    const count = await releaseExpired({ pool, boss }, queue, leaseMs);
    if (count > 0) log("expired_tasks_released", { queue, count });
  };

  const heartbeat = createHeartbeat({
    connection: database.connection,
    intervalMs: timing.heartbeatMs,
    async send(client) {
      const running = workers.flatMap(({ queue, turns }) => turns().map((turn) => ({ queue, ...turn })));
      if (running.length === 0) return;
      const values = [
        running.map(({ queue }) => queue),
        running.map(({ id }) => id),
        running.map(({ retryCount }) => retryCount),
      ];
      await client.query({ name: "task-heartbeat", text: BEAT, values });
    },
    log,
  });

  const poll = async () => {
    const { rows } = await pool.query<PolledQueue>({
      name: "queue-poll",
      text: POLL,
      values: [queues, timing.leaseMs],
    });
    const atMs = performance.now();
    // A gap means that this process or the database stood still, and other processes may not have sent heartbeats.
    const isSteady = lastPollAtMs !== undefined && atMs - lastPollAtMs < pollMs + timing.leaseMs / 2;
    if (!isSteady) steadySinceMs = atMs;
    lastPollAtMs = atMs;
    const mayRelease = atMs - steadySinceMs! >= timing.leaseMs;
    for (const { queue, has_turns: hasTurns, has_expired: hasExpired, due_in_ms: dueInMs } of rows) {
      if (hasExpired && mayRelease) await release(queue, timing.leaseMs);
      if (dueInMs !== null) lookAfter(dueInMs);
      if (hasTurns || (hasExpired && mayRelease)) pokeWorker(queue);
    }
  };

  const pokeWorker = (queue: BossQueue) => workers.find((worker) => worker.queue === queue)?.poke();

  /** One timer for the task due first; the next poll sets the timer for those after it. */
  const lookAfter = (delayMs: number) => {
    const atMs = performance.now() + Math.max(MIN_DELAY_MS, delayMs);
    if (isClosed || delayMs > pollMs || atMs >= dueAtMs) return;
    clearTimeout(dueTimer);
    dueAtMs = atMs;
    dueTimer = setTimeout(
      () => {
        dueAtMs = Number.POSITIVE_INFINITY;
        for (const worker of workers) worker.poke();
        run();
      },
      Math.max(MIN_DELAY_MS, delayMs),
    );
  };

  const run = () => {
    pending = pending
      .then(() => (isClosed ? undefined : poll()))
      .then(logOnce.clear, (error) => logOnce.note("queue_poll_failed", { err: error }));
  };

  deps.tasks.onDelayed((_, dueInMs) => lookAfter(dueInMs));
  await heartbeat.start();
  const timer = setInterval(run, pollMs);
  run();
  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      clearTimeout(dueTimer);
      await Promise.all([pending, heartbeat.close()]);
    },
  };
}

type PolledQueue = {
  queue: BossQueue;
  has_turns: boolean;
  has_expired: boolean;
  /** Of the first waiting task. */
  due_in_ms: number | null;
};

/** Skips turns that a transaction has locked: it renews or ends them itself, and must not delay the others. */
const BEAT = `
update pgboss.job set heartbeat_on = clock_timestamp()
where name = any($1::text[]) and id = any(array(
  select j.id from unnest($1::text[], $2::uuid[], $3::int[]) as running (queue, id, retry_count)
  join pgboss.job j on j.name = running.queue and j.id = running.id
  where j.state = 'active' and j.retry_count = running.retry_count
  for update of j skip locked
))`;

const POLL = `
select q.name as queue,
  exists (select from pgboss.job j where j.name = q.name and j.state < 'active' and not j.blocked) as has_turns,
  exists (
    select from pgboss.job j where j.name = q.name and j.state = 'active' and j.group_id is not null
      and j.heartbeat_on <= clock_timestamp() - $2::float8 * interval '1 millisecond'
  ) as has_expired,
  (select extract(epoch from min(t.due_at) - clock_timestamp()) * 1000 from tasks t
   where t.queue = q.name and t.state = 'waiting')::float8 as due_in_ms
from unnest($1::text[]) as q (name)`;
