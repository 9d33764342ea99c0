/**
 * Notifications between processes: PostgreSQL's LISTEN and NOTIFY, over one dedicated connection.
 *
 * A notification is sent by the statement that makes the change, so there is never one without the other. Notifications are
 * lost while the connection is down, so caches that rely on them check `isListening` and are emptied by `onGap`.
 */
import { type SQL, sql } from "drizzle-orm";
import pg from "pg";
import type { LogEvent } from "../base/log-events.ts";
import type { Orm } from "./database.ts";

/** A channel of several modules. The payload is the account's id. */
export const ACCOUNT_CHANGED = "account_changed";

export type PubSub = {
  /** Subscribes to a channel. Called before start. */
  on(channel: string, handler: (payload: string) => void): void;
  /** Called each time that listening starts: notifications may have been missed, so caches must be emptied. */
  onGap(handler: () => void): void;
  /** Whether every notification sent up to a second ago has arrived. After a while in which nobody asked: not known, so false. */
  readonly isListening: boolean;
  /** Resolves after the first attempt; if that fails, it is repeated in the background. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export type PubSubOptions = { log: LogEvent };

// A connection can die silently (a cable, a firewall that dropped its state), so it is probed. Messages arrive in order: a
// reply proves that all notifications before it have arrived too. A proof is renewed when somebody asks for it; without
// that, probes are rare, because an idle process should not wake up.
const PROBE_MS = 300;
const IDLE_PROBE_MS = 10_000;
const LISTENING_GRACE_MS = 1_000;
const TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export function createPubSub(connection: pg.ClientConfig, { log }: PubSubOptions): PubSub {
  const handlers = new Map<string, ((payload: string) => void)[]>();
  const gapHandlers: (() => void)[] = [];
  let client: pg.Client | undefined;
  let provenAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let isProbing = false;
  let isClosed = false;

  const listen = async (): Promise<void> => {
    const opened = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    client = opened;
    opened.on("error", (error) => lose(opened, error));
    opened.on("end", () => lose(opened, new Error("the connection was closed")));
    opened.on("notification", ({ channel, payload }) => {
      for (const handle of handlers.get(channel) ?? []) handle(payload ?? "");
    });
    try {
      await opened.connect();
      for (const channel of handlers.keys()) await opened.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      return lose(opened, error);
    }
    if (client !== opened) return; // lost or closed meanwhile
    for (const handle of gapHandlers) handle();
    provenAtMs = performance.now();
    timer = setTimeout(probe, IDLE_PROBE_MS, opened);
  };

  const probe = async (asked: pg.Client): Promise<void> => {
    const askedAtMs = performance.now();
    clearTimeout(timer);
    isProbing = true;
    try {
      await asked.query("select 1");
    } catch (error) {
      return lose(asked, error);
    }
    if (client !== asked) return;
    isProbing = false;
    provenAtMs = askedAtMs; // the connection worked at some moment after this
    if (pauseMs > FIRST_PAUSE_MS) log("notifications_restored");
    pauseMs = FIRST_PAUSE_MS;
    timer = setTimeout(probe, IDLE_PROBE_MS, asked);
  };

  const lose = (lost: pg.Client, error: unknown): void => {
    if (client !== lost) return;
    leave(lost);
    if (isClosed) return;
    // Logged once per interruption, not at every attempt.
    if (pauseMs === FIRST_PAUSE_MS) log("notifications_lost", { err: error });
    timer = setTimeout(listen, pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  };

  const leave = (left: pg.Client): Promise<void> => {
    client = undefined;
    isProbing = false;
    provenAtMs = Number.NEGATIVE_INFINITY;
    clearTimeout(timer);
    return left.end().catch(() => {});
  };

  return {
    on(channel, handler) {
      handlers.set(channel, [...(handlers.get(channel) ?? []), handler]);
    },
    onGap(handler) {
      gapHandlers.push(handler);
    },
    get isListening() {
      const provenMsAgo = performance.now() - provenAtMs;
      // Not before the first proof, which comes with listening.
      if (client && !isProbing && provenMsAgo >= PROBE_MS && provenMsAgo !== Number.POSITIVE_INFINITY)
        void probe(client);
      return provenMsAgo < LISTENING_GRACE_MS;
    },
    start: listen,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      if (client) await leave(client);
    },
  };
}

/** A notification as part of a larger statement, such as its `returning`: sent if and only if that commits. */
export function notifySql(channel: string, payload: string | SQL): SQL<string> {
  return sql<string>`pg_notify(${channel}, ${payload})`;
}

/** Sends a notification on its own, or as part of the given transaction. */
export async function notify(
  by: Pick<pg.Pool, "query"> | pg.ClientBase | Pick<Orm, "execute">,
  channel: string,
  payload: string,
): Promise<void> {
  if ("execute" in by) await by.execute(sql`select ${notifySql(channel, payload)}`);
  else await by.query({ name: "notify", text: "select pg_notify($1, $2)", values: [channel, payload] });
}
