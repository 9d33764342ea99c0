/** Composition root: builds the service from its settings, and closes its parts in reverse order. */
import { abortable } from "@mailvet/embedded-postgres";
import type { FastifyInstance } from "fastify";
import { type BootstrapResult, bootstrap } from "./accounts/bootstrap.ts";
import { buildApiRole } from "./api-role.ts";
import type { Log } from "./base/log.ts";
import { checkBlobStore } from "./blobs/claimed-store.ts";
import type { Config } from "./config.ts";
import { HTTP_DEFAULTS } from "./http/http-settings.ts";
import { buildWorkerApp } from "./http/worker-app.ts";
import { type Opening, openParts } from "./shared-parts.ts";
import type { TerminalMessage } from "./start-message.ts";
import { startWorkerRole } from "./worker-role.ts";

export type AssembledService = {
  app: FastifyInstance;
  /**
   * Completes the start once the port is bound: creates the operator's account if there is none, and returns its
   * credentials. From here on /health/ready may answer 200.
   */
  welcome(): Promise<BootstrapResult | undefined>;
  /** Starts what the first check would otherwise wait for. */
  warmUp(): Promise<void>;
  /** Finishes requests and tasks in progress, then stops everything. Checks cut short are answered from the evidence so far. */
  close(): Promise<void>;
};

/** Checks and tasks in progress have this long, or two thirds of the time limit of a stop if that is less. */
const WRAP_UP_MS = 6_000;
/** Of the time limit of a stop, for what is closed after the HTTP server. */
const CLOSE_MS = 2_000;

/**
 * `onMessage` is for the operator's terminal; everything else goes to the log. An abort of `interrupted` ends the start at
 * once: the parts already opened are closed, and the abort reason is thrown.
 */
export async function assemble(
  config: Config,
  log: Log,
  onMessage: (message: TerminalMessage) => void,
  interrupted?: AbortSignal,
): Promise<AssembledService> {
  const closers: Opening["closers"] = [];
  const close = async () => {
    const errors: unknown[] = [];
    // One part that fails to close must not leave the others open, above all the database.
    for (const closer of closers.splice(0).reverse()) {
      try {
        await closer();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, "some parts failed to close");
  };
  try {
    return { ...(await open({ config, log, onMessage, closers, interrupted })), close };
  } catch (error) {
    await close().catch((closeError) => log.event("stop_failed", { err: closeError }));
    throw error;
  }
}

async function open(opening: Opening): Promise<Omit<AssembledService, "close">> {
  const { config, log, closers, interrupted } = opening;
  const { role } = config;
  const parts = await openParts(opening);
  const { database, blobs, pubsub, ledger, apiKeys, validations, verifier, metrics, system } = parts;
  const workers = role === "api" ? [] : await startWorkerRole(opening, parts);
  await abortable(pubsub.start(), interrupted); // last: LISTEN covers the channels subscribed to so far

  const settings = {
    ...HTTP_DEFAULTS,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    drainTimeoutMs: Math.max(1_000, config.stopTimeoutMs - CLOSE_MS),
    metricsToken: config.metricsToken,
    maxQueueDelayMs: config.maxQueueDelayMs,
    maxEventLoopDelayMs: config.maxQueueDelayMs / 2,
  };
  let isStarted = false;
  const readiness = {
    isStarted: () => isStarted,
    checkDatabase: database.check,
    checkBlobs: () => checkBlobStore(blobs),
  };
  const watched = { settings, pool: database.pool, log, metrics, readiness };
  const app = role === "worker" ? buildWorkerApp(watched) : buildApiRole(config, parts, watched);
  const wrapUpMs = Math.min(WRAP_UP_MS, (config.stopTimeoutMs * 2) / 3);
  closers.push(async () => {
    validations.wrapUp(wrapUpMs);
    system.close();
    await Promise.all([app.close(), ...workers.map((worker) => worker.close(wrapUpMs))]);
  });
  return {
    app,
    warmUp: verifier.start,
    async welcome() {
      const first =
        role === "worker"
          ? undefined
          : await bootstrap({ database, ledger, keyring: apiKeys }, config.operator);
      isStarted = true;
      return first;
    },
  };
}
