/** The worker role: runs the tasks of the queue, and the periodic maintenance. */
import { finishHandler } from "./jobs/finish-early.ts";
import { ERASE_JOB } from "./jobs/job-actions.ts";
import { createJobProgress } from "./jobs/job-progress.ts";
import { onSliceExhausted } from "./jobs/slice-give-up.ts";
import { sliceHandler } from "./jobs/slice-handler.ts";
import { planHandler } from "./jobs/slice-planner.ts";
import { EXPORT_ACCOUNT } from "./lifecycle/export-files.ts";
import { ERASE_ACCOUNT } from "./lifecycle/lifecycle.ts";
import { startMaintenance } from "./maintenance.ts";
import { releaseAll } from "./queue/expired-turns.ts";
import { createFeed } from "./queue/feed.ts";
import { startQueuePoll } from "./queue/queue-poll.ts";
import type { OnExhausted } from "./queue/task.ts";
import { keepUpQueues } from "./queue/upkeep.ts";
import { startWorker, type Worker } from "./queue/worker.ts";
import { deleteIdleUsage } from "./request-limits/usage-exchange.ts";
import { isOnlyProcess, type Opening, type Parts } from "./shared-parts.ts";

/** Planning a list takes seconds, and mostly one core. */
const PLANS_AT_ONCE = 2;

/** Few long actions at a time leave the processor to requests. */
const ACTIONS_AT_ONCE = 2;

/** A recheck is one address, and spends most of its time waiting for a mail server. */
const RECHECKS_AT_ONCE = 16;

/** A delivery spends most of its time waiting for the receiving server. */
const DELIVERIES_AT_ONCE = 16;

/** Started unless the role is "api". Returns the workers; the caller closes them. */
export async function startWorkerRole(
  { config, log, closers }: Opening,
  parts: Parts,
): Promise<readonly Worker[]> {
  const { database, boss, tasks, pubsub, webhooks, hostLimiters, gates, naming, adjudicator } = parts;
  const { validations, verdictCache, feedback, idempotentResponses, sessions, accounts } = parts;
  const { auditLog, files, uploads, transitions, jobActions, metrics, tracing } = parts;
  const { lists, notifications, lifecycle, exportFiles, egressWatch } = parts;
  const { pool } = database;
  const feed = createFeed({ pool, boss });
  const progress = createJobProgress(pool);
  closers.push(() => progress.close());
  if (isOnlyProcess(config)) await releaseAll({ pool, boss }, log.event);
  const maintenance = startMaintenance({
    boss,
    minutely: {
      verdicts: verdictCache.deleteExpired,
      outcomes: feedback.deleteOld,
      answers: idempotentResponses.deleteExpired,
      sessions: sessions.deleteExpired,
      accounts: accounts.deleteExpired,
      lifecycle: lifecycle.reconcile,
      uploads: uploads.eraseExpired,
      exports: exportFiles.deleteExpired,
      jobs: jobActions.eraseExpired,
      deliveries: webhooks.eraseOld,
      audit: auditLog.deleteOld,
      rechecks: validations.rechecks.eraseOld,
      lists: lists.runDue,
      low_credits: notifications.notifyLowCredits,
      egress: egressWatch.noteRefusals,
      notifications: notifications.sendDue,
      ...(hostLimiters ? { paces: hostLimiters.forgetOld } : {}),
      request_limits: () => deleteIdleUsage(pool),
      ...(adjudicator ? { questions: adjudicator.eraseOld } : {}),
    },
    hourly: {
      too_many_outcomes: feedback.deleteSurplus,
      naming: naming.eraseOld,
      egress_sessions: gates.deleteOld,
      host_memories: parts.hostMemoryStore.deleteOld,
      orphaned_blobs: () => files.deleteOrphans(),
      orphaned_exports: exportFiles.deleteOrphans,
      queues: () => keepUpQueues({ pool, boss, feed }),
    },
    daily: config.asksBlocklists ? { blocklists: egressWatch.askBlocklists } : {},
    onFailure: (chore, error) => log.event("maintenance_failed", { err: error, task: chore }),
  });
  closers.push(() => maintenance.close());
  const { countClaim, countRetry } = metrics;
  const shared = { database, boss, tasks, feed, pubsub, countClaim, countRetry, tracing, log: log.event };
  const { inspect } = validations.answers;
  const finish = finishHandler({ database, tasks, transitions, progress, inspect });
  const failJob: OnExhausted = async (tx, { groupId }) => {
    await transitions.fail(tx, groupId, TASK_EXHAUSTED);
    return undefined;
  };
  const workers = [
    startWorker({
      ...shared,
      queue: "plan",
      slots: PLANS_AT_ONCE,
      handler: planHandler(parts),
      onExhausted: failJob,
    }),
    startWorker({
      ...shared,
      queue: "action",
      slots: ACTIONS_AT_ONCE,
      handler: (task, signal) => {
        if (task.subject === ERASE_ACCOUNT) return lifecycle.handleErasure(task);
        if (task.subject === EXPORT_ACCOUNT) return exportFiles.handle(task, signal);
        return task.subject === ERASE_JOB ? jobActions.handleErasure(task) : finish(task, signal);
      },
      async onExhausted(tx, task) {
        if (task.subject === ERASE_ACCOUNT) return false; // maintenance adds it again
        if (task.subject !== EXPORT_ACCOUNT) return failJob(tx, task);
        await exportFiles.giveUp(tx, task);
        return undefined;
      },
    }),
    startWorker({
      ...shared,
      queue: "slice",
      slots: config.jobs.workerSlots,
      handler: sliceHandler({
        database,
        tasks,
        transitions,
        progress,
        answers: validations.answers,
        unknownRefund: config.unknownRefund,
        providerWaitMs: config.providerWaitMs,
        countVerdict: metrics.countVerdict,
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
  ];
  const poll = await startQueuePoll({ database, boss, tasks, workers, log: log.event });
  closers.push(() => poll.close());
  return workers;
}

const TASK_EXHAUSTED = {
  code: "internal_error",
  detail: "The job failed repeatedly because of an internal error. Unused credits were returned.",
};
