/** One short statement again and again, over a connection of its own that is opened anew whenever it is lost. */
import pg from "pg";

export type Heartbeat = {
  /** The first beat; throws if there is none. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export type HeartbeatOptions<Row> = {
  connection: pg.ClientConfig;
  /** It returns one row. */
  statement: pg.QueryConfig;
  everyMs: number;
  onBeat(row: Row): void;
  say: (line: string) => void;
};

/** A server that has not answered by then is asked again, over another connection. */
const TIMEOUT_MS = 3000;

export function createHeartbeat<Row extends pg.QueryResultRow>(options: HeartbeatOptions<Row>): Heartbeat {
  const { connection, statement, everyMs, onBeat, say } = options;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();
  let isAway = false;
  let isClosed = false;

  async function beat(): Promise<void> {
    client ??= await connect();
    const { rows } = await client.query<Row>(statement);
    onBeat(rows[0]!);
  }

  async function connect(): Promise<pg.Client> {
    const opened = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    opened.on("error", () => {}); // the next beat fails, and says so
    try {
      await opened.connect();
    } catch (error) {
      opened.end().catch(() => {});
      throw error;
    }
    return opened;
  }

  async function beatOrSay(): Promise<void> {
    const begunAt = performance.now();
    try {
      await beat();
      if (isAway) say("queue: the database is back");
      isAway = false;
    } catch (error) {
      leave();
      // Said once per outage, not at every try.
      if (!isAway) say(`queue: no sign of life from here, trying again: ${(error as Error).message}`);
      isAway = true;
    }
    const restMs = Math.max(everyMs - (performance.now() - begunAt), everyMs / 10);
    if (!isClosed) timer = setTimeout(begin, restMs);
  }

  const begin = () => {
    beating = beatOrSay();
  };

  function leave(): void {
    client?.end().catch(() => {});
    client = undefined;
  }

  return {
    async start() {
      try {
        await beat();
      } catch (error) {
        leave();
        throw error;
      }
      timer = setTimeout(begin, everyMs);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await beating;
      clearTimeout(timer);
      const left = client;
      client = undefined;
      await left?.end().catch(() => {});
    },
  };
}
