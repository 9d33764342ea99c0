/** Processes that share host limits, each with its own connections to one database, and simulated sessions. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { HostLimiter, ProviderProfile, SessionGateFor } from "@mailvet/engine";
import { openDatabase } from "../src/db/database.ts";
import { createPubSub } from "../src/db/pubsub.ts";
import { createSessionGates } from "../src/pacing/session-gates.ts";
import { createSharedHostLimiters } from "../src/pacing/shared-host-limiters.ts";
import type { TestDatabase } from "./database.ts";
import { type LoggedEvent, recordEvents } from "./logged-events.ts";

/** An ordinary host that allows this many concurrent sessions. */
export function hostWith(connections: number, gapMs = 0): ProviderProfile {
  return {
    connections,
    isShared: false,
    recipientsPerSession: 500,
    recipientsPerTransaction: 90,
    oneDomainPerTransaction: false,
    batches: [40],
    maxRefusalsPerSession: 9,
    refusalsPerSession: 9,
    lifetimeMs: 60_000,
    gapMs,
    greylistSeconds: 360,
    isNeverCatchAll: false,
    acceptancesPerDecoy: 1000,
  };
}

export type PacingProcess = AsyncDisposable & {
  id: string;
  events: LoggedEvent[];
  pace(key: string, profile: ProviderProfile): HostLimiter;
  gateFor: SessionGateFor;
  isOwned(identity: string): boolean;
  forgetOld(): Promise<number>;
  close(): Promise<void>;
};

export async function startPacing(
  connection: TestDatabase["connection"],
  ownedIdentities: readonly string[] = [],
): Promise<PacingProcess> {
  const id = randomUUID();
  const { events, log } = recordEvents();
  const database = openDatabase({ connection, maxConnections: 3 });
  const notices = createPubSub(connection, { log });
  const paces = createSharedHostLimiters({ database, notices, processes: { id }, ownedIdentities, log });
  const gates = createSessionGates({ pool: database.pool, isOwned: paces.isOwned });
  await notices.start();
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await gates.close();
    await paces.close();
    await notices.close();
    await database.close();
  };
  return {
    id,
    events,
    pace: paces.limiterFor,
    gateFor: gates.gateFor,
    isOwned: paces.isOwned,
    forgetOld: paces.forgetOld,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Requests a session, and reports whether it was granted. */
export function visit(
  pace: HostLimiter,
  isUrgent = false,
  givingUp?: AbortSignal,
): { isIn: boolean | undefined } {
  const visitor: { isIn: boolean | undefined } = { isIn: undefined };
  void pace
    .acquire(givingUp, () => isUrgent)
    .then((isIn) => {
      visitor.isIn = isIn;
    });
  return visitor;
}

/** A connection to the database that can be cut and restored. */
export async function openWay({ connection }: TestDatabase) {
  const socketPath = join(connection.host!, ".s.PGSQL.5432");
  const ends = new Set<Socket>();
  let isOpen = true;
  const server = createServer((near) => {
    if (!isOpen) return near.destroy();
    const far = connect(socketPath);
    near.pipe(far).pipe(near);
    for (const end of [near, far]) {
      ends.add(end);
      end.on("error", () => {});
    }
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    isOpen = false;
    for (const end of ends) end.destroy();
    ends.clear();
  };
  return {
    connection: { ...connection, host: "127.0.0.1", port: (server.address() as { port: number }).port },
    cut,
    mend: () => {
      isOpen = true;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}
