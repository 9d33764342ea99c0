/** The parts of the service that every role has, opened from its settings in the order of their dependencies. */
import { readFileSync } from "node:fs";
import { abortable, type EmbeddedPostgresEvent } from "@mailvet/embedded-postgres";
import { doctorFrom, EgressHealth, LocalHostLimiter, resolverFrom, verifierFrom } from "@mailvet/engine";
import { emailOf } from "./accounts/account-queries.ts";
import { createAccounts } from "./accounts/accounts.ts";
import { createPresentAccount, presentListed } from "./accounts/present-account.ts";
import { createSessions } from "./accounts/sessions.ts";
import { createAdjudicator } from "./adjudication/adjudicator.ts";
import { createAuditLog } from "./audit/audit-log.ts";
import type { Log } from "./base/log.ts";
import type { Tracing } from "./base/tracing.ts";
import { claimBlobStore } from "./blobs/claimed-store.ts";
import { openBlobStore } from "./blobs/open-store.ts";
import type { Config } from "./config.ts";
import { createLedger } from "./credits/ledger.ts";
import { type UsageFilter, usageOf } from "./credits/usage.ts";
import { createVerdictCounts } from "./credits/verdict-counts.ts";
import { openStorage } from "./database-storage.ts";
import { createPubSub } from "./db/pubsub.ts";
import { createRepeatedWrites } from "./db/repeated-writes.ts";
import { createCalibrationCache } from "./feedback/calibration-cache.ts";
import { createFeedback } from "./feedback/feedback.ts";
import { createMetrics } from "./http/metrics.ts";
import { createCredentialWatch } from "./http/middleware/credential-watch.ts";
import { createIdempotentResponses } from "./idempotency/idempotent-responses.ts";
import { createConfirmUpload } from "./jobs/confirm-upload.ts";
import { createJobActions } from "./jobs/job-actions.ts";
import { createJobTransitions } from "./jobs/job-transitions.ts";
import { createJobWatch } from "./jobs/job-watch.ts";
import { createRecheckJob } from "./jobs/recheck/recheck.ts";
import { mayHaveEventsSql } from "./jobs/retention.ts";
import { redriveSlice } from "./jobs/slice-give-up.ts";
import { createApiKeys, keyLastUsedSql } from "./keys/api-keys.ts";
import { createOperatorKeys } from "./keys/operator-keys.ts";
import { createExportAccount } from "./lifecycle/account-export.ts";
import { createExportFiles } from "./lifecycle/export-files.ts";
import { createLifecycle } from "./lifecycle/lifecycle.ts";
import { createLists } from "./lists/lists.ts";
import { createMailer } from "./mail/mailer.ts";
import { createNaming } from "./naming/naming.ts";
import { createNotifications } from "./notifications/notifications.ts";
import { openHostMemoryStore } from "./pacing/host-memory-store.ts";
import { processLeases } from "./pacing/lease-sql.ts";
import { createSessionGates } from "./pacing/session-gates.ts";
import { createSharedHostLimiters } from "./pacing/shared-host-limiters.ts";
import { openBoss } from "./queue/boss.ts";
import { createDeadLetters } from "./queue/dead-letters.ts";
import { createProcessRegistry } from "./queue/process-registry.ts";
import { createTasks } from "./queue/tasks.ts";
import { createUsageExchange } from "./request-limits/usage-exchange.ts";
import type { TerminalMessage } from "./start-message.ts";
import { logOutdatedRelease, withDatabaseRelease } from "./system/database-release.ts";
import { createDeploymentFigures } from "./system/deployment-figures.ts";
import { createEgressWatch } from "./system/egress-watch.ts";
import { startListRefresh } from "./system/list-refresh.ts";
import { countSharedThrottles, listSharedThrottles } from "./system/shared-throttle-report.ts";
import { createSystem } from "./system/system.ts";
import { createThrottleReport } from "./system/throttle-report.ts";
import { createLinkDownload } from "./uploads/link-download.ts";
import { createUploadFiles } from "./uploads/upload-files.ts";
import { createUploads } from "./uploads/uploads.ts";
import { rescore } from "./validations/rescore.ts";
import { SANDBOX_DOMAIN } from "./validations/sandbox.ts";
import { createValidations } from "./validations/validations.ts";
import { createVerdictCache } from "./validations/verdict-cache.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

export const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** What the start of the service passes on. */
export type Opening = {
  config: Config;
  log: Log;
  onMessage: (message: TerminalMessage) => void;
  /** How to close what is open so far, in the order of opening. */
  closers: (() => unknown)[];
  interrupted: AbortSignal | undefined;
};

export type Parts = Awaited<ReturnType<typeof openParts>>;

/** No other process uses an embedded database. */
export const isOnlyProcess = ({ storage }: Config) => "dataDirectory" in storage;

/** None of the parts runs tasks or serves requests yet. */
export async function openParts({ config, log, onMessage, closers, interrupted }: Opening) {
  const { role } = config;
  const isAlone = isOnlyProcess(config);
  const metrics = createMetrics();
  const tracing = config.exportsTraces ? await loadTracing(log) : undefined;
  closers.push(() => tracing?.close());
  const currentTrace = tracing?.current;
  const storage = await openStorage(config.storage, {
    onEvent: (event) => reportDatabaseEvent(event, { log, onMessage }),
    interrupted,
    maxConnections: config.poolSize,
    countWait: metrics.countWait,
  });
  closers.push(storage.close);
  const { database } = storage;
  await logOutdatedRelease(database.pool, log.event);
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
    outgoingPorts: config.outgoingPorts,
    version,
    emailOwner: async (accountId, subject, text) => {
      const to = await emailOf(database, accountId);
      if (to) await mailer.send({ to, subject, text });
    },
    mayHaveEventsSql,
    countDelivery: metrics.countDelivery,
    currentTrace,
    log: log.event,
  });
  closers.push(() => webhooks.close());
  const { publish } = webhooks;
  const ledger = createLedger({
    database,
    onLow: webhooks.publishLowCredits,
    countCredits: metrics.countCredits,
  });
  closers.push(() => ledger.close());
  const repeatedWrites = createRepeatedWrites(log.event);
  closers.push(() => repeatedWrites.close());
  const verdictCounts = createVerdictCounts(database.pool);
  closers.push(() => verdictCounts.flush().catch(() => {})); // the database is away
  const apiKeys = createApiKeys({ database, notices: pubsub, announce: publish });
  closers.push(() => apiKeys.close());
  const operatorKeys = createOperatorKeys({ database, requireTwoFactor: config.requireTwoFactor });
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
  const hostMemoryStore = await abortable(
    openHostMemoryStore({ pool: database.pool, log: log.event }),
    interrupted,
  );
  closers.push(() => hostMemoryStore.close());
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
    hostMemories: hostMemoryStore.hostMemories,
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
  const publicUrl = config.publicUrl ?? localUrl(config);
  const accounts = createAccounts({
    database,
    ledger,
    sessions,
    mailer,
    forgetAccount: apiKeys.forgetAccount,
    revokeKeys: apiKeys.revokeAll,
    keyLastUsedSql,
    isDisposable: (email) => verifier.inspect(email).disposable !== undefined,
    settings: {
      signUp: config.signUp.mode,
      signUpDomains: config.signUp.domains,
      signUpPlan: config.signUp.plan,
      signUpCredits: config.signUp.credits,
      publicUrl,
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
    publicUrl,
    log: log.event,
  });
  const lists = createLists({
    database,
    recheckJob: () => recheckJob,
    publish,
    notifications,
    retentionDays,
    publicUrl,
  });
  const transitions = createJobTransitions({
    database,
    tasks,
    async publish(tx, owner, event, data, jobId) {
      await publish(tx, owner, event, data, jobId);
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
    addWebhook: webhooks.createForJob,
    onLow: webhooks.publishLowCredits,
    onRefused: notifications.onJobRefused,
  });
  const recheckJob = createRecheckJob({
    database,
    transitions,
    onLow: webhooks.publishLowCredits,
    onRefused: notifications.onJobRefused,
  });
  const downloadLink = createLinkDownload({
    checkDestination: webhooks.checkDestination,
    maxBytes: config.jobs.maxUploadBytes,
    userAgent: `Mailvet/${version}`,
  });
  const jobActions = createJobActions({
    database,
    tasks,
    files,
    transitions,
    retentionDays,
  });
  const usage = async (accountId: string, wanted: UsageFilter) => {
    await verdictCounts.flush(); // what this process has counted in the last second
    return usageOf(database, accountId, wanted);
  };
  const auditLog = createAuditLog({ database, retentionDays: config.auditRetentionDays });
  const exportAccount = createExportAccount({
    database,
    files,
    inspect: validations.answers.inspect,
    apiKeys,
    webhooks,
    uploads,
    rechecks: validations.rechecks,
    lists,
    notifications,
    sessions,
    accounts,
    feedback,
    auditLog,
    ledger,
    usageOf: usage,
  });
  const presentAccount = createPresentAccount(config.jobs);
  const exportFiles = createExportFiles({
    database,
    blobs,
    tasks,
    exportAccount: async (accountId) =>
      exportAccount(presentListed(presentAccount, await accounts.findListed(accountId))),
  });
  const lifecycle = createLifecycle({
    database,
    accounts,
    sessions,
    jobs: jobActions,
    uploads,
    exportFiles,
    webhooks,
    tasks,
  });
  const watch = createJobWatch({ database, pubsub });
  closers.push(() => watch.close());

  const idempotentResponses = createIdempotentResponses(database);
  const deadLetters = createDeadLetters({
    database,
    redrives: {
      plan: async () => false, // its job has failed, and its credits are released
      slice: redriveSlice(tasks),
      action: async () => false, // as for a plan
      recheck: validations.rechecks.redrive,
      delivery: webhooks.redriveDelivery,
    },
  });
  const countThrottles = throttleReport ? throttleReport.count : () => countSharedThrottles(database.pool);
  const listThrottles = throttleReport ? throttleReport.list : () => listSharedThrottles(database.pool);
  const egressWatch = createEgressWatch({
    database,
    listThrottles,
    openDoctor: () => doctorFrom(config.engine),
    notifications,
    publicUrl,
    log: log.event,
  });
  const system = createSystem({
    database,
    processes,
    openDoctor: () => withDatabaseRelease(doctorFrom(config.engine), database.pool),
    listThrottles,
    countThrottles,
    identities,
    isIdentityDown: (name) => egressHealths[egress.findIndex((one) => one.name === name)]?.isDown === true,
    adjudicator,
    lists: referenceLists,
    version,
    storage: isAlone ? "embedded" : "external",
  });
  metrics.observeDeployment(
    createDeploymentFigures({ database, countThrottles, listThrottles, identities }),
    () => referenceLists.report().made_at,
  );
  return {
    egressWatch,
    accounts,
    adjudicator,
    apiKeys,
    auditLog,
    blobs,
    boss,
    confirmUpload,
    credentialWatch,
    database,
    deadLetters,
    downloadLink,
    exportFiles,
    feedback,
    files,
    gates,
    hostLimiters,
    hostMemoryStore,
    idempotentResponses,
    jobActions,
    ledger,
    lifecycle,
    lists,
    mailer,
    metrics,
    operatorKeys,
    naming,
    notifications,
    pubsub,
    recheckJob,
    repeatedWrites,
    sessions,
    system,
    tasks,
    tracing,
    transitions,
    uploads,
    usage,
    usageExchange,
    validations,
    verdictCache,
    verdictCounts,
    verifier,
    watch,
    webhooks,
  };
}

/** An import that only installations with traces pay for. */
async function loadTracing(log: Log): Promise<Tracing> {
  const { openTracing } = await import("./otlp-tracing.ts");
  return openTracing({ version, log: log.event });
}

/** For links in messages when no public URL is configured. */
function localUrl({ host, port }: Config): string {
  const isEveryAddress = host === "0.0.0.0" || host === "::";
  return `http://${isEveryAddress ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The start is reported on the terminal, later exits and restarts in the log. */
function reportDatabaseEvent(
  event: EmbeddedPostgresEvent,
  { log, onMessage }: Pick<Opening, "log" | "onMessage">,
): void {
  if (event.event === "server_exited") log.event("postgres_exited", { restart_in_ms: event.restartInMs });
  else if (event.event === "server_restarted") log.event("postgres_restarted");
  else if (event.event === "server_restart_failed")
    log.event("postgres_restart_failed", { err: event.error });
  else onMessage({ kind: "database", event });
}
