/** Composition root: builds the service from its settings, and closes its parts in reverse order. */
import { readFileSync } from "node:fs";
import { abortable, type EmbeddedPostgresEvent } from "@mailvet/embedded-postgres";
import { doctorFrom, EgressHealth, LocalHostLimiter, resolverFrom, verifierFrom } from "@mailvet/engine";
import type { FastifyInstance } from "fastify";
import { emailOf } from "./accounts/account-queries.ts";
import { createAccounts } from "./accounts/accounts.ts";
import { type BootstrapResult, bootstrap } from "./accounts/bootstrap.ts";
import { createMailer } from "./accounts/mailer.ts";
import { createPresentAccount } from "./accounts/present-account.ts";
import { createSessions } from "./accounts/sessions.ts";
import { createAdjudicator } from "./adjudication/adjudicator.ts";
import type { Log } from "./base/log.ts";
import type { Tracing } from "./base/tracing.ts";
import { claimBlobStore } from "./blobs/claimed-store.ts";
import { openBlobStore } from "./blobs/open-store.ts";
import type { Config } from "./config.ts";
import { createLedger } from "./credits/ledger.ts";
import { statementOf } from "./credits/statement.ts";
import { confirmCharge } from "./credits/unanswered-charges.ts";
import { usageOf } from "./credits/usage.ts";
import { openStorage } from "./database-storage.ts";
import { createPubSub } from "./db/pubsub.ts";
import { createCalibrationCache } from "./feedback/calibration-cache.ts";
import { createFeedback } from "./feedback/feedback.ts";
import { buildApp } from "./http/app.ts";
import { HTTP_DEFAULTS } from "./http/http-settings.ts";
import { createMetrics } from "./http/metrics.ts";
import { createCredentialWatch } from "./http/middleware/credential-watch.ts";
import { createSessionCookie } from "./http/middleware/session-cookie.ts";
import { aboutRoutes } from "./http/routes/about-routes.ts";
import { accountRoutes } from "./http/routes/account-routes.ts";
import { authRoutes } from "./http/routes/auth-routes.ts";
import { creditRoutes } from "./http/routes/credit-routes.ts";
import { domainRoutes } from "./http/routes/domain-routes.ts";
import { feedbackRoutes } from "./http/routes/feedback-routes.ts";
import { jobRoutes } from "./http/routes/job-routes.ts";
import { keyRoutes } from "./http/routes/key-routes.ts";
import { listRoutes } from "./http/routes/list-routes.ts";
import { operatorRoutes } from "./http/routes/operator-routes.ts";
import { systemRoutes } from "./http/routes/system-routes.ts";
import { uploadRoutes } from "./http/routes/upload-routes.ts";
import { validationRoutes } from "./http/routes/validation-routes.ts";
import { webhookRoutes } from "./http/routes/webhook-routes.ts";
import { buildWorkerApp } from "./http/worker-app.ts";
import { createIdempotentResponses } from "./idempotency/idempotent-responses.ts";
import { createConfirmUpload } from "./jobs/confirm-upload.ts";
import { createJobActions } from "./jobs/job-actions.ts";
import { createJobProgress } from "./jobs/job-progress.ts";
import { createJobTransitions } from "./jobs/job-transitions.ts";
import { createJobWatch } from "./jobs/job-watch.ts";
import { createRecheckJob } from "./jobs/recheck.ts";
import { onSliceExhausted, redriveSlice } from "./jobs/slice-give-up.ts";
import { sliceHandler } from "./jobs/slice-handler.ts";
import { planHandler } from "./jobs/slice-planner.ts";
import { createApiKeys } from "./keys/api-keys.ts";
import { createLists } from "./lists/lists.ts";
import { startMaintenance } from "./maintenance.ts";
import { createNaming } from "./naming/naming.ts";
import { createNotifications } from "./notifications/notifications.ts";
import { processLeases } from "./pacing/lease-sql.ts";
import { createSessionGates } from "./pacing/session-gates.ts";
import { createSharedHostLimiters } from "./pacing/shared-host-limiters.ts";
import { openBoss } from "./queue/boss.ts";
import { createDeadLetters } from "./queue/dead-letters.ts";
import { releaseAll } from "./queue/expired-turns.ts";
import { createFeed } from "./queue/feed.ts";
import { createProcessRegistry } from "./queue/process-registry.ts";
import { startQueuePoll } from "./queue/queue-poll.ts";
import { createTasks } from "./queue/tasks.ts";
import { keepUpQueues } from "./queue/upkeep.ts";
import { startWorker, type Worker } from "./queue/worker.ts";
import { createAccountLimits } from "./request-limits/account-limits.ts";
import { createUsageExchange, deleteIdleUsage } from "./request-limits/usage-exchange.ts";
import type { TerminalMessage } from "./start-message.ts";
import { createDeploymentFigures } from "./system/deployment-figures.ts";
import { startListRefresh } from "./system/list-refresh.ts";
import { countSharedThrottles, listSharedThrottles } from "./system/shared-throttle-report.ts";
import { createSystem } from "./system/system.ts";
import { createThrottleReport } from "./system/throttle-report.ts";
import { createEstimateUpload } from "./uploads/estimate.ts";
import { createUploadFiles } from "./uploads/upload-files.ts";
import { createUploads } from "./uploads/uploads.ts";
import { rescore } from "./validations/rescore.ts";
import { SANDBOX_DOMAIN } from "./validations/sandbox.ts";
import { createValidations } from "./validations/validations.ts";
import { createVerdictCache } from "./validations/verdict-cache.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

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

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Time for the last responses, out of the nine seconds allowed for the whole shutdown (main.ts). */
const WRAP_UP_MS = 6000;

/** Planning a list takes seconds, and mostly one core. */
const PLANS_AT_ONCE = 2;

/** A recheck is one address, and spends most of its time waiting for a mail server. */
const RECHECKS_AT_ONCE = 16;

/** A delivery spends most of its time waiting for the receiving server. */
const DELIVERIES_AT_ONCE = 16;

type Closer = () => unknown;

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
  const closers: Closer[] = [];
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
    return { ...(await open(config, log, onMessage, closers, interrupted)), close };
  } catch (error) {
    await close().catch((closeError) => log.event("stop_failed", { err: closeError }));
    throw error;
  }
}

async function open(
  config: Config,
  log: Log,
  onMessage: (message: TerminalMessage) => void,
  closers: Closer[],
  interrupted: AbortSignal | undefined,
): Promise<Omit<AssembledService, "close">> {
  const { role } = config;
  const isAlone = "dataDirectory" in config.storage; // no other process uses an embedded database
  const slots = role === "api" ? 0 : config.jobs.workerSlots;
  const metrics = createMetrics();
  const tracing = config.exportsTraces ? await loadTracing(log) : undefined;
  closers.push(() => tracing?.close());
  const currentTrace = tracing?.current;
  const storage = await openStorage(config.storage, {
    onEvent: (event) => reportDatabaseEvent(event, log, onMessage),
    interrupted,
    maxConnections: config.poolSize,
    countWait: metrics.countWait,
  });
  closers.push(storage.close);
  const { database } = storage;
  const blobs = await openBlobStore(config.blobs);
  await abortable(claimBlobStore(database, blobs), interrupted);

  const pubsub = createPubSub(database.connection, { log: log.event });
  closers.push(() => pubsub.close());
  const processes = createProcessRegistry({
    database,
    role,
    isAlone,
    leases: processLeases,
    log: log.event,
  });
  closers.push(() => processes.close());
  await abortable(processes.start(), interrupted);
  const boss = openBoss(database.pool);
  const tasks = createTasks({ boss, currentTrace });
  const mailer = createMailer(config.mail, (email) => onMessage({ kind: "email", email }));
  closers.push(() => mailer.close());
  const resolver = resolverFrom(config.engine);
  closers.push(() => resolver.close());
  const webhooks = createWebhooks({
    database,
    tasks,
    resolver,
    egressAllow: config.engine.egressAllow,
    version,
    emailOwner: async (accountId, subject, text) => {
      const to = await emailOf(database, accountId);
      if (to) await mailer.send({ to, subject, text });
    },
    countDelivery: metrics.countDelivery,
    currentTrace,
    log: log.event,
  });
  closers.push(() => webhooks.close());
  const { publish } = webhooks;
  const ledger = createLedger({
    database,
    log: log.event,
    onLow: webhooks.publishLowCredits,
    countCredits: metrics.countCredits,
  });
  closers.push(() => ledger.close());
  const apiKeys = createApiKeys({ database, notices: pubsub, announce: publish });
  closers.push(() => apiKeys.close());
  const credentialWatch = createCredentialWatch({ notices: pubsub });

  const { egress, egressOfDeployment: identities } = config.engine;
  const hostLimiters = isAlone
    ? undefined
    : createSharedHostLimiters({
        database,
        notices: pubsub,
        processes,
        ownedIdentities: egress.filter(({ owner }) => owner !== undefined).map(({ name }) => name),
        log: log.event,
      });
  closers.push(() => hostLimiters?.close());
  const throttleReport = hostLimiters
    ? undefined
    : createThrottleReport((_key, profile) => new LocalHostLimiter(profile));
  const gates = createSessionGates({
    pool: database.pool,
    isOwned: (identity) => hostLimiters?.isOwned(identity) ?? true,
  });
  closers.push(() => gates.close());
  const egressHealths = egress.map(() => new EgressHealth());
  const naming = createNaming({ database, learns: config.engine.aiEnhancement, log: log.event });
  closers.push(() => naming.close());
  const adjudicator =
    config.adjudicator && config.engine.aiEnhancement
      ? createAdjudicator({
          settings: config.adjudicator,
          pool: database.pool,
          log: log.event,
          count: metrics.countAdjudication,
        })
      : undefined;
  closers.push(() => adjudicator?.close());
  const { limiterFor } = hostLimiters ?? throttleReport!;
  const verifier = verifierFrom(config.engine, {
    limiterFor,
    gateFor: gates.gateFor,
    egressHealths,
    knowledge: { ...naming, ...adjudicator },
    isCallerBusy: true, // with HTTP and the database
    observe(event) {
      metrics.countNetwork(event);
      tracing?.observe(event);
    },
    onThreadExit: ({ error, ...exit }) => log.event("engine_thread_exited", { err: error, ...exit }),
  });
  closers.push(() => verifier.close());
  const referenceLists = startListRefresh({ ...config.lists, lists: verifier.lists, log });
  closers.push(() => referenceLists.close());
  const verdictCache = createVerdictCache({
    database,
    countLookups: metrics.countLookups,
    log: log.event,
  });
  const calibrations = createCalibrationCache({ pool: database.pool, notices: pubsub });
  const feedback = createFeedback({
    database,
    calibrations,
    rescore: (accountId, addresses) => rescore({ verifier, verdictCache }, accountId, addresses),
    sandboxDomain: SANDBOX_DOMAIN,
    limits: config.jobs,
  });
  const { countVerdict } = metrics;
  const validations = createValidations({
    verifier,
    ledger,
    unknownRefund: config.unknownRefund,
    verdictCache,
    calibrations,
    naming,
    level: "smtp",
    countVerdict,
    countFinding: metrics.countFinding,
    currentTrace,
    singleBudgetMs: config.budgets.singleMs,
    bulkBudgetMs: config.budgets.bulkMs,
    log: log.event,
    rechecking: { database, tasks, announce: publish },
  });
  closers.push(() => validations.close());

  const usageExchange =
    isAlone || role === "worker"
      ? undefined
      : createUsageExchange({ pool: database.pool, processId: processes.id });
  closers.push(() => usageExchange?.close());
  const sessions = createSessions({ database, requireTwoFactor: config.requireTwoFactor });
  const presentAccount = createPresentAccount(config.jobs);
  const accounts = createAccounts({
    database,
    ledger,
    sessions,
    mailer,
    forgetAccount: apiKeys.forgetAccount,
    revokeKeys: apiKeys.revokeAll,
    settings: {
      signUp: config.signUp.mode,
      signUpPlan: config.signUp.plan,
      signUpCredits: config.signUp.credits,
      publicUrl: config.publicUrl ?? localUrl(config),
      requireTwoFactor: config.requireTwoFactor,
    },
    log: log.event,
  });
  closers.push(() => accounts.close());

  const files = createUploadFiles({ pool: database.pool, blobs, log: log.event });
  const uploads = createUploads({ database, files, limits: config.jobs });
  const { retentionDays } = config.jobs;
  const notifications = createNotifications({
    database,
    ledger,
    mailer,
    publicUrl: config.publicUrl ?? localUrl(config),
    log: log.event,
  });
  const lists = createLists({
    database,
    recheckJob: () => recheckJob,
    publish,
    notifications,
    retentionDays,
  });
  const transitions = createJobTransitions({
    database,
    tasks,
    async publish(tx, owner, event, data) {
      await publish(tx, owner, event, data);
      await notifications.onEvent(tx, owner, event, data);
      await lists.onEvent(tx, owner, event, data);
    },
    retentionDays,
    unknownRefund: config.unknownRefund,
    countEnd: metrics.countJobEnd,
  });
  const confirmUpload = createConfirmUpload({
    database,
    files,
    transitions,
    limits: config.jobs,
    retentionDays,
    onLow: webhooks.publishLowCredits,
  });
  const jobActions = createJobActions({ database, files, transitions, retentionDays });
  const recheckJob = createRecheckJob({ database, transitions, onLow: webhooks.publishLowCredits });
  const watch = createJobWatch({ database, pubsub });
  closers.push(() => watch.close());

  const idempotentResponses = createIdempotentResponses(database);
  const workers: Worker[] = [];
  if (role !== "api") {
    const { pool } = database;
    const feed = createFeed({ pool, boss });
    const progress = createJobProgress(pool);
    closers.push(() => progress.close());
    if (isAlone) await releaseAll({ pool, boss }, log.event);
    const maintenance = startMaintenance({
      boss,
      minutely: {
        reservations: ledger.releaseExpired,
        charges: ledger.refundExpired,
        verdicts: verdictCache.deleteExpired,
        outcomes: feedback.deleteOld,
        answers: idempotentResponses.deleteExpired,
        sessions: sessions.deleteExpired,
        accounts: accounts.deleteExpired,
        uploads: uploads.eraseExpired,
        jobs: jobActions.eraseExpired,
        deliveries: webhooks.eraseOld,
        rechecks: validations.rechecks.eraseOld,
        lists: lists.runDue,
        low_credits: notifications.notifyLowCredits,
        notifications: notifications.sendDue,
        ...(hostLimiters ? { paces: hostLimiters.forgetOld } : {}),
        request_limits: () => deleteIdleUsage(pool),
        ...(adjudicator ? { questions: adjudicator.eraseOld } : {}),
      },
      hourly: {
        too_many_outcomes: feedback.deleteSurplus,
        naming: naming.eraseOld,
        egress_sessions: gates.deleteOld,
        orphaned_blobs: () => files.deleteOrphans(),
        queues: () => keepUpQueues({ pool, boss, feed }),
      },
      onFailure: (chore, error) => log.event("maintenance_failed", { err: error, task: chore }),
    });
    closers.push(() => maintenance.close());
    const { countClaim, countRetry } = metrics;
    const shared = { database, boss, tasks, feed, pubsub, countClaim, countRetry, tracing, log: log.event };
    workers.push(
      startWorker({
        ...shared,
        queue: "plan",
        slots: PLANS_AT_ONCE,
        handler: planHandler({ database, files, tasks, transitions }),
        onExhausted: async (tx, { groupId }) => {
          await transitions.fail(tx, groupId, TASK_EXHAUSTED);
          return undefined;
        },
      }),
      startWorker({
        ...shared,
        queue: "slice",
        slots,
        handler: sliceHandler({
          database,
          tasks,
          transitions,
          progress,
          answers: validations.answers,
          countVerdict,
          countRows: metrics.countRows,
          countDeferred: metrics.countDeferred,
          log: log.event,
        }),
        onExhausted: onSliceExhausted(transitions),
      }),
      startWorker({
        ...shared,
        queue: "recheck",
        slots: RECHECKS_AT_ONCE,
        handler: validations.rechecks.handler,
        onExhausted: async () => undefined,
      }),
      startWorker({
        ...shared,
        queue: "delivery",
        slots: DELIVERIES_AT_ONCE,
        handler: webhooks.deliveryHandler,
        onExhausted: webhooks.onDeliveryExhausted,
      }),
    );
    const poll = await startQueuePoll({ database, boss, tasks, workers, log: log.event });
    closers.push(() => poll.close());
  }
  await abortable(pubsub.start(), interrupted); // last: LISTEN covers the channels subscribed to so far

  const deadLetters = createDeadLetters({
    database,
    redrives: {
      plan: async () => false, // its job has failed, and its credits are released
      slice: redriveSlice(tasks),
      recheck: validations.rechecks.redrive,
      delivery: webhooks.redriveDelivery,
    },
  });
  const countThrottles = throttleReport ? throttleReport.count : () => countSharedThrottles(database.pool);
  const system = createSystem({
    database,
    processes,
    openDoctor: () => doctorFrom(config.engine),
    listThrottles: throttleReport ? throttleReport.list : () => listSharedThrottles(database.pool),
    countThrottles,
    identities,
    isIdentityDown: (name) => egressHealths[egress.findIndex((one) => one.name === name)]?.isDown === true,
    adjudicator,
    lists: referenceLists,
    version,
    storage: isAlone ? "embedded" : "external",
  });
  metrics.observeDeployment(
    createDeploymentFigures({ database, countThrottles, identities }),
    () => referenceLists.report().made_at,
  );
  const settings = {
    ...HTTP_DEFAULTS,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    metricsToken: config.metricsToken,
  };
  let isStarted = false;
  const readiness = { isStarted: () => isStarted, checkDatabase: database.check };
  const watched = { settings, pool: database.pool, log, metrics, readiness };
  const cookie = createSessionCookie(config.publicUrl);
  const app =
    role === "worker"
      ? buildWorkerApp(watched)
      : buildApp({
          ...watched,
          tracing,
          accountLimits: createAccountLimits(usageExchange),
          apiKeys,
          sessions,
          credentialWatch,
          cookie,
          balanceOf: ledger.balanceOf,
          confirmCharge,
          idempotentResponses,
          version,
          routes: [
            validationRoutes({ validations, charges: ledger }),
            domainRoutes({ validations, charges: ledger }),
            uploadRoutes({
              uploads,
              confirmUpload,
              estimateUpload: createEstimateUpload({ database, files, answers: validations.answers }),
              maxUploadBytes: config.jobs.maxUploadBytes,
            }),
            jobRoutes({
              database,
              files,
              watch,
              actions: jobActions,
              recheckJob,
              log,
            }),
            feedbackRoutes({ feedback, maxUploadBytes: config.jobs.maxUploadBytes }),
            listRoutes({ lists }),
            webhookRoutes({ webhooks }),
            aboutRoutes({
              name: "Mailvet",
              version,
              sign_up: config.signUp.mode,
              mail: mailer.reachesPeople,
              retention_days: retentionDays,
              max_csv_emails: config.jobs.maxEmailsPerFile,
              max_upload_bytes: config.jobs.maxUploadBytes,
            }),
            accountRoutes({ accounts, presentAccount, notifications }),
            creditRoutes({
              ledger,
              usageOf: (accountId, wanted) => usageOf(database, accountId, wanted),
              statementOf: (accountId, wanted) => statementOf(database, accountId, wanted),
            }),
            keyRoutes({ apiKeys }),
            authRoutes({ accounts, sessions, cookie, publicUrl: config.publicUrl, presentAccount }),
            operatorRoutes({ accounts, ledger, presentAccount }),
            systemRoutes({ system, deadLetters }),
          ],
        });
  closers.push(async () => {
    validations.wrapUp(WRAP_UP_MS);
    system.close();
    await Promise.all([app.close(), ...workers.map((worker) => worker.close(WRAP_UP_MS))]);
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

/** An import that only installations with traces pay for. */
async function loadTracing(log: Log): Promise<Tracing> {
  const { openTracing } = await import("./otlp-tracing.ts");
  return openTracing({ version, log: log.event });
}

const TASK_EXHAUSTED = {
  code: "internal_error",
  detail: "The job failed repeatedly because of an internal error. Unused credits were returned.",
};

/** For links in messages when no public URL is configured. */
function localUrl({ host, port }: Config): string {
  const isEveryAddress = host === "0.0.0.0" || host === "::";
  return `http://${isEveryAddress ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The start is reported on the terminal, later exits and restarts in the log. */
function reportDatabaseEvent(
  event: EmbeddedPostgresEvent,
  log: Log,
  onMessage: (message: TerminalMessage) => void,
): void {
  if (event.event === "server_exited") log.event("postgres_exited", { restart_in_ms: event.restartInMs });
  else if (event.event === "server_restarted") log.event("postgres_restarted");
  else if (event.event === "server_restart_failed")
    log.event("postgres_restart_failed", { err: event.error });
  else onMessage({ kind: "database", event });
}
