/**
 * The pace at every mail host and provider, kept by all processes of a deployment together: never more sessions than
 * the limit in the sum of all of them, rests by the database's clock, and what one of them is made to feel all know.
 */
import type { HostLimiterFor, ProviderProfile } from "@mailvet/engine";
import { type Database, openDatabase } from "../db/database.ts";
import type { PubSub } from "../db/pubsub.ts";
import type { LogEvent } from "../log-events.ts";
import { createPlaceDesk } from "./lease-client.ts";
import { createPlaceStatements, type Demand, PLACE_FREE, PLACE_WISHED } from "./lease-sql.ts";
import { SharedPace } from "./shared-host-limiter.ts";
import { FORGET, PACE_CHANGED } from "./throttle-sql.ts";
import { createThrottleStore } from "./throttle-store.ts";

export type SharedPaces = {
  paceFor: HostLimiterFor;
  /** Forgets what hosts taught us long ago; how many that were. */
  forgetOld(): Promise<number>;
  /** Gives all places back. After whoever uses them has left. */
  close(): Promise<void>;
};

export type SharedPacesDeps = {
  database: Database;
  /** Not yet started. */
  notices: PubSub;
  /** This process, among those that are known to be alive. */
  processes: { readonly id: string };
  log: LogEvent;
};

export function createSharedPaces({ database, notices, processes, log }: SharedPacesDeps): SharedPaces {
  /** Those in use; the others can be made anew at any time. */
  const paces = new Map<string, SharedPace>();
  const standings = createThrottleStore({ database, onChange: (key) => paces.get(key)?.serve(), log });
  const counter = openCounter(database.connection);
  const desk = createPlaceDesk({
    statements: createPlaceStatements(counter.pool, processes.id),
    onDemand: (key, demand, askedAtMs) => paces.get(key)?.heed(demand, askedAtMs),
    onLost: ({ key, number }) => paces.get(key)?.lose(number),
    log,
  });
  const deps = {
    desk,
    standings,
    isListening: () => notices.isListening,
    onUse(pace: SharedPace, isInUse: boolean) {
      if (isInUse) paces.set(pace.key, pace);
      else if (paces.get(pace.key) === pace) paces.delete(pace.key);
    },
  };

  notices.on(PLACE_FREE, (payload) => {
    const { first, rest: key } = split(payload);
    if (first === processes.id) paces.get(key)?.serve(true);
  });
  notices.on(PLACE_WISHED, (payload) => {
    const { first: processId, rest } = split(payload);
    const { first: demand, rest: key } = split(rest);
    if (processId !== processes.id) paces.get(key)?.hearWish(demand as Demand);
  });
  notices.on(PACE_CHANGED, (key) => standings.refresh(key));
  notices.onGap(() => {
    standings.refresh();
    desk.doubt();
  });

  return {
    paceFor: (key: string, profile: ProviderProfile) => paces.get(key) ?? new SharedPace(deps, key, profile),
    forgetOld: async () => (await database.pool.query(FORGET)).rowCount ?? 0,
    async close() {
      await Promise.all([standings.close(), desk.close()]);
      await counter.close();
    },
  };
}

/**
 * The desk's own connection: nobody's long work holds up a single check there. Its statements find their rows by index,
 * whatever the planner believes: the tables are empty one minute and full the next, and plans are kept for long.
 */
function openCounter(connection: Database["connection"]): Database {
  const counter = openDatabase({ connection, maxConnections: 1 });
  // Before anybody else gets to use it.
  counter.pool.options.onConnect = (client) => client.query(BY_INDEX);
  return counter;
}

const BY_INDEX = [
  "set enable_seqscan = off",
  "set enable_bitmapscan = off",
  "set jit = off",
  "set plan_cache_mode = force_generic_plan",
].join("; ");

function split(payload: string): { first: string; rest: string } {
  const blank = payload.indexOf(" ");
  return { first: payload.slice(0, blank), rest: payload.slice(blank + 1) };
}
