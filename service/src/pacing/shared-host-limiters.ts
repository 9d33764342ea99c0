/**
 * Host limiters shared by all processes of a deployment: the limit on sessions applies to their sum, gaps follow the
 * database's clock, and throttle events of one process apply to all. Except for egress identities that this process owns,
 * which are paced in memory (identity-ownership.ts).
 */
import { type HostLimiterFor, type ProviderProfile, partsOfLimiterKey } from "@mailvet/engine";
import type { LogEvent } from "../base/log-events.ts";
import { type Database, openDatabase } from "../db/database.ts";
import type { PubSub } from "../db/pubsub.ts";
import { IdentityOwnership, OwnedHostLimiter, ownershipKeyOf } from "./identity-ownership.ts";
import { createLeaseClient } from "./lease-client.ts";
import { createLeaseStatements, type Demand, LEASE_FREE, LEASE_WANTED } from "./lease-sql.ts";
import { SharedHostLimiter } from "./shared-host-limiter.ts";
import { DELETE_OLD, PACE_CHANGED } from "./throttle-sql.ts";
import { createThrottleStore } from "./throttle-store.ts";

export type SharedHostLimiters = {
  limiterFor: HostLimiterFor;
  /** Whether this process has the lease on an identity that it owns. */
  isOwned(identity: string): boolean;
  /** Deletes old throttle state; returns how many rows. */
  forgetOld(): Promise<number>;
  /** Releases all leases. Call after the sessions have ended. */
  close(): Promise<void>;
};

export type SharedHostLimitersDeps = {
  database: Database;
  /** Not yet started. */
  notices: PubSub;
  /** This process, as registered in the queue. */
  processes: { readonly id: string };
  /** Names of the egress identities that this process owns. */
  ownedIdentities?: readonly string[];
  log: LogEvent;
};

export function createSharedHostLimiters({
  database,
  notices,
  processes,
  ownedIdentities = [],
  log,
}: SharedHostLimitersDeps): SharedHostLimiters {
  /** Limiters in use; others are created on demand. */
  const paces = new Map<string, SharedHostLimiter>();
  const throttles = createThrottleStore({ database, onChange: (key) => paces.get(key)?.serve(), log });
  const leaseDatabase = openLeaseDatabase(database.connection);
  const leases = createLeaseClient({
    statements: createLeaseStatements(leaseDatabase.pool, processes.id),
    onDemand: (key, demand, askedAtMs) => paces.get(key)?.noteDemand(demand, askedAtMs),
    onLost({ key, number }) {
      ownerships.get(key)?.lose();
      paces.get(key)?.lose(number);
    },
    log,
  });
  const ownerships = new Map(
    ownedIdentities.map((name) => [ownershipKeyOf(name), new IdentityOwnership(name, leases, log)]),
  );
  for (const ownership of ownerships.values()) ownership.acquire();
  const deps = {
    leases,
    throttles,
    isListening: () => notices.isListening,
    onUse(pace: SharedHostLimiter, isInUse: boolean) {
      if (isInUse) paces.set(pace.key, pace);
      else if (paces.get(pace.key) === pace) paces.delete(pace.key);
    },
  };

  notices.on(LEASE_FREE, (payload) => {
    const { first, rest: key } = split(payload);
    if (first !== processes.id) return;
    ownerships.get(key)?.acquire();
    paces.get(key)?.serve(true);
  });
  notices.on(LEASE_WANTED, (payload) => {
    const { first: processId, rest } = split(payload);
    const { first: demand, rest: key } = split(rest);
    if (processId !== processes.id) paces.get(key)?.noteWaiter(demand as Demand);
  });
  notices.on(PACE_CHANGED, (key) => throttles.refresh(key));
  notices.onGap(() => {
    throttles.refresh();
    leases.requestAudit();
  });

  return {
    limiterFor: (key: string, profile: ProviderProfile) =>
      ownerships.has(ownershipKeyOf(partsOfLimiterKey(key).identity))
        ? new OwnedHostLimiter(key, profile, throttles)
        : (paces.get(key) ?? new SharedHostLimiter(deps, key, profile)),
    isOwned: (identity) => ownerships.get(ownershipKeyOf(identity))?.isOwned === true,
    forgetOld: async () => (await database.pool.query(DELETE_OLD)).rowCount ?? 0,
    async close() {
      await Promise.all([throttles.close(), leases.close()]);
      await leaseDatabase.close();
    },
  };
}

/**
 * A dedicated connection, so that long queries do not delay single checks. Its plans are forced to use indexes: the tables
 * are empty one minute and full the next, and prepared plans live long.
 */
function openLeaseDatabase(connection: Database["connection"]): Database {
  const leaseDatabase = openDatabase({ connection, maxConnections: 1 });
  // Before its first use.
  leaseDatabase.pool.options.onConnect = (client) => client.query(BY_INDEX);
  return leaseDatabase;
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
