/**
 * What one process changes and all must know at once: PostgreSQL's LISTEN and NOTIFY, over one connection of its own.
 *
 * A notice is sent by the very statement that makes the change, so there is never one without the other. Notices are
 * lost while a connection is away, so whoever remembers things by them asks `isListening` and heeds `onGap`.
 */
import { type SQL, sql } from "drizzle-orm";
import pg from "pg";
import type { Orm } from "./database.ts";

/** Channels that more than one module speaks of. The payload is the account's id. */
export const ACCOUNT_CHANGED = "account_changed";

export type PubSub = {
  /** Hears what is said on a channel. Called before start. */
  on(channel: string, handler: (payload: string) => void): void;
  /** Notices may have been missed: called each time that listening begins, also again. Forget what you remember. */
  onGap(handler: () => void): void;
  /** Whether every notice sent up to a second ago has been heard. */
  readonly isListening: boolean;
  /** Settles after the first try; when that failed, the next ones follow by themselves. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export type PubSubOptions = { say: (line: string) => void };

// A connection can die without a word (a cable, a firewall that forgot it), so we ask it whether it is there. What it
// says arrives in order: an answer proves that all notices before it have arrived too.
const BEAT_MS = 300;
const SILENCE_BELIEVED_MS = 1_000;
const SILENCE_ENDURED_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export function createPubSub(connection: pg.ClientConfig, { say }: PubSubOptions): PubSub {
  const handlers = new Map<string, ((payload: string) => void)[]>();
  const gapHandlers: (() => void)[] = [];
  let client: pg.Client | undefined;
  let provenAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const listen = async (): Promise<void> => {
    const opened = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: SILENCE_ENDURED_MS,
      query_timeout: SILENCE_ENDURED_MS,
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
    timer = setTimeout(beat, BEAT_MS, opened);
  };

  const beat = async (asked: pg.Client): Promise<void> => {
    const askedAtMs = performance.now();
    try {
      await asked.query("select 1");
    } catch (error) {
      return lose(asked, error);
    }
    if (client !== asked) return;
    provenAtMs = askedAtMs; // it was there at some moment after this; of a later one we cannot be sure
    if (pauseMs > FIRST_PAUSE_MS) say("database notices: listening again");
    pauseMs = FIRST_PAUSE_MS;
    timer = setTimeout(beat, BEAT_MS, asked);
  };

  const lose = (lost: pg.Client, error: unknown): void => {
    if (client !== lost) return;
    leave(lost);
    if (isClosed) return;
    // Said once per interruption, not at every try to end it.
    if (pauseMs === FIRST_PAUSE_MS) say(`database notices: not listening, trying again: ${reasonOf(error)}`);
    timer = setTimeout(listen, pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  };

  const leave = (left: pg.Client): Promise<void> => {
    client = undefined;
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
      return performance.now() - provenAtMs < SILENCE_BELIEVED_MS;
    },
    start: listen,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      if (client) await leave(client);
    },
  };
}

/** The notice as part of a larger statement, such as its `returning`: sent when, and only when, that commits. */
export function notifySql(channel: string, payload: string | SQL): SQL<string> {
  return sql<string>`pg_notify(${channel}, ${payload})`;
}

/** Sends a notice by itself, or as part of the transaction that is handed in. */
export async function notify(
  by: Pick<pg.Pool, "query"> | pg.ClientBase | Pick<Orm, "execute">,
  channel: string,
  payload: string,
): Promise<void> {
  if ("execute" in by) await by.execute(sql`select ${notifySql(channel, payload)}`);
  else await by.query({ name: "notify", text: "select pg_notify($1, $2)", values: [channel, payload] });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
