/**
 * The processes that share this database, and what becomes of those that die.
 *
 * Each says every few seconds that it lives, over a connection of its own, so that a busy pool does not make it look
 * dead. Whoever has been silent for long enough is struck off by the others, and everything in its name goes back. All
 * times are the database's, as no two machines agree about the time.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { asc } from "drizzle-orm";
import { type Database, isDatabaseUnavailable } from "../db/database.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { errorMessage } from "./log-once.ts";
import { releaseAll, releaseExpiredProcesses } from "./release-tasks.ts";
import { processes } from "./schema.ts";
import { withIndexPlans } from "./with-index-plans.ts";

export type ProcessRegistry = {
  /** In whose name this process takes tasks and places. */
  readonly id: string;
  /** From here on it is registered, and watches over the others. Before it takes anything. */
  start(): Promise<void>;
  /** What it still has goes back at once. */
  close(): Promise<void>;
  /** Everybody who is registered, the oldest first. */
  list(): Promise<ProcessInfo[]>;
};

export type ProcessInfo = typeof processes.$inferSelect;

export type ProcessRegistryDeps = {
  database: Database;
  role: ProcessInfo["role"];
  /** On the embedded database there is nobody else: whoever is registered is dead. */
  isAlone: boolean;
  say: (line: string) => void;
  timing?: ProcessTiming;
};

export type ProcessTiming = {
  beatMs: number;
  /** Whoever has been silent for this long is dead. */
  deadMs: number;
};

const TIMING: ProcessTiming = { beatMs: 3000, deadMs: 15_000 };

export function createProcessRegistry({
  database,
  role,
  isAlone,
  say,
  timing = TIMING,
}: ProcessRegistryDeps): ProcessRegistry {
  const { pool, orm, connection } = database;
  const { beatMs, deadMs } = timing;
  const steadyMs = deadMs / 2; // between two beats, at most
  const id = randomUUID();
  let steadySince: number | undefined;
  let lastBeatAt: number | undefined;
  let reaping: Promise<void> | undefined;
  let isRegistered = false;

  const pulse = createHeartbeat({
    connection,
    statement: { name: "beat", text: BEAT, values: [id, role, hostname(), process.pid] },
    everyMs: beatMs,
    onBeat({ at, is_new: isNew }: Beat) {
      if (isNew && isRegistered)
        say("queue: this process was taken for dead; what it had in hand is no longer its own");
      isRegistered = true;
      // After an outage everybody's last sign of life is old. Those who live need time to give the next one.
      const isSteady = lastBeatAt !== undefined && at >= lastBeatAt && at - lastBeatAt <= steadyMs;
      if (!isSteady) steadySince = at;
      lastBeatAt = at;
      if (at - steadySince! >= deadMs) reaping ??= reap().finally(() => (reaping = undefined));
    },
    say,
  });

  async function reap(): Promise<void> {
    try {
      const struckOff = await withIndexPlans(pool, async (client) => {
        const values = [id, deadMs, steadyMs];
        const { rows } = await client.query<ProcessInfo>({ name: "strike-off", text: STRIKE_OFF, values });
        const tasks = await releaseExpiredProcesses(client);
        return { rows, tasks };
      });
      sayWhoDied(struckOff);
    } catch (error) {
      if (isDatabaseUnavailable(error)) return; // the next beat says so
      say(`queue: looking after the other processes failed: ${errorMessage(error)}`);
    }
  }

  function sayWhoDied({ rows, tasks }: { rows: ProcessInfo[]; tasks: number }): void {
    for (const { role, host, pid } of rows) say(`queue: the ${role} process ${pid} on ${host} is dead`);
    if (tasks > 0) say(`queue: tasks in hand of dead processes, waiting again: ${tasks}`);
  }

  return {
    id,

    async start() {
      await pulse.start();
      if (!isAlone) return;
      const struckOff = await withIndexPlans(pool, async (client) => {
        const text = "delete from processes where id <> $1 returning role, host, pid";
        const { rows } = await client.query<ProcessInfo>(text, [id]);
        return { rows, tasks: await releaseExpiredProcesses(client) };
      });
      sayWhoDied(struckOff);
    },

    async close() {
      await pulse.close();
      await reaping;
      try {
        await withIndexPlans(pool, async (client) => {
          await client.query("delete from processes where id = $1", [id]);
          await releaseAll(client, id);
        });
      } catch (error) {
        say(`queue: this process could not sign off, the others will notice: ${errorMessage(error)}`);
      }
    },

    list: () => orm.select().from(processes).orderBy(asc(processes.startedAt), asc(processes.id)),
  };
}

type Beat = { at: number; is_new: boolean };

/** A row that was not there (any more) is one that no transaction has changed: its xmax is 0. */
const BEAT = `
insert into processes (id, role, host, pid, started_at, beat_at)
values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
on conflict (id) do update set beat_at = clock_timestamp()
returning (extract(epoch from beat_at) * 1000)::float8 as at, xmax = 0 as is_new`;

/** Nobody is struck off by one whose own last sign of life is old: then it is the database that was away. */
const STRIKE_OFF = `
delete from processes
where id = any(array(
  select id from processes where beat_at < now() - $2::float8 * interval '1 millisecond' for update skip locked
))
and exists (
  select from processes where id = $1 and beat_at >= now() - $3::float8 * interval '1 millisecond'
)
returning role, host, pid`;
