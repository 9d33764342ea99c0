/** Runs short statements periodically on a connection of its own, and reconnects when that connection is lost. */
import pg from "pg";
import type { LogEvent } from "../base/log-events.ts";
import { START_CONNECT_TIMEOUT_MS } from "../db/database.ts";

export type Heartbeat = {
  /** Resolves after the first beat; throws if it fails. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export type HeartbeatOptions = {
  connection: pg.ClientConfig;
  intervalMs: number;
  send(client: pg.Client): Promise<void>;
  log: LogEvent;
};

/** After this a statement is retried on a new connection. */
const TIMEOUT_MS = 3000;

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { connection, intervalMs, send, log } = options;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();
  let isFailing = false;
  let isClosed = false;

  async function beat(): Promise<void> {
    client ??= await connect(TIMEOUT_MS);
    await send(client);
  }

  async function connect(timeoutMs: number): Promise<pg.Client> {
    const opened = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    opened.on("error", () => {}); // the next beat fails and logs it
    try {
      await opened.connect();
    } catch (error) {
      opened.end().catch(() => {});
      throw error;
    }
    return opened;
  }

  async function beatAndReschedule(): Promise<void> {
    const startedAtMs = performance.now();
    const nextDelayMs = () => Math.max(intervalMs - (performance.now() - startedAtMs), intervalMs / 10);
    try {
      await beat();
      if (isFailing) log("heartbeat_restored");
      isFailing = false;
    } catch (error) {
      disconnect();
      // Logged once per outage, not per attempt.
      if (!isFailing) log("heartbeat_failed", { err: error, retry_in_ms: Math.round(nextDelayMs()) });
      isFailing = true;
    }
    if (!isClosed) timer = setTimeout(run, nextDelayMs());
  }

  const run = () => {
    beating = beatAndReschedule();
  };

  function disconnect(): void {
    client?.end().catch(() => {});
    client = undefined;
  }

  return {
    async start() {
      // With more time, as nothing repeats it; so on a connection that later beats do not use.
      const first = await connect(START_CONNECT_TIMEOUT_MS);
      try {
        await send(first);
      } finally {
        first.end().catch(() => {});
      }
      timer = setTimeout(run, intervalMs);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await beating;
      clearTimeout(timer);
      const open = client;
      client = undefined;
      await open?.end().catch(() => {});
    },
  };
}
