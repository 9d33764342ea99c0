/**
 * Webhooks by the Standard Webhooks 1.0 scheme.
 *
 * An event is published in the transaction that causes it (publish-event.ts), waits in the queue in its endpoint's task
 * group, and is sent by a worker (delivery-handler.ts). endpoints.ts and delivery-log.ts serve the API.
 */
import { LOW_CREDITS } from "@mailvet/contract";
import type { Resolver } from "@mailvet/engine";
import type { LogEvent, LogEventName } from "../base/log-events.ts";
import type { Database } from "../db/database.ts";
import type { Redrive } from "../queue/dead-letters.ts";
import type { OnExhausted, TaskHandler } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { endpointDisabledEmail } from "./auto-disable.ts";
import { type DeliveryHandlerDeps, deliveryHandler, onDeliveryExhausted } from "./delivery-handler.ts";
import {
  createDeliveryLog,
  type DeliveryLog,
  type DeliveryLogDeps,
  redriveDelivery,
} from "./delivery-log.ts";
import { type CheckDestination, createDestinationCheck, hostOf } from "./destination-check.ts";
import { createEndpoints, type Endpoints } from "./endpoints.ts";
import { createPost } from "./http-post.ts";
import type { EndpointRow } from "./present-webhook.ts";
import { createPublishEvent, type PublishEvent } from "./publish-event.ts";
import { HOUR_MS, RETRY_SCHEDULE, type RetrySchedule } from "./retry-schedule.ts";

export type Webhooks = Endpoints &
  DeliveryLog & {
    publish: PublishEvent;
    /** Where requests may be sent to. */
    checkDestination: CheckDestination;
    /** Publishes credits.low in the background, in a transaction of its own. */
    publishLowCredits(accountId: string, balance: number): void;
    /** For workers of the queue "delivery". */
    deliveryHandler: TaskHandler;
    onDeliveryExhausted: OnExhausted;
    redriveDelivery: Redrive;
    /** Waits for background work. */
    close(): Promise<void>;
  };

export type WebhookDeps = {
  database: Database;
  tasks: Pick<Tasks, "openGroup" | "closeGroup" | "add" | "complete" | "postpone" | "expedite">;
  resolver: Pick<Resolver, "query">;
  /** Ranges allowed besides public addresses. */
  egressAllow: readonly string[];
  /** Of public addresses. */
  outgoingPorts: readonly number[];
  version: string;
  emailOwner: (accountId: string, subject: string, text: string) => Promise<void>;
  mayHaveEventsSql: DeliveryLogDeps["mayHaveEventsSql"];
  countDelivery?: DeliveryHandlerDeps["countDelivery"];
  currentTrace?: DeliveryHandlerDeps["currentTrace"];
  log: LogEvent;
  settings?: Partial<WebhookSettings>;
};

export type WebhookSettings = {
  /** For one attempt, from name resolution to the response. */
  timeoutMs: number;
  retrySchedule: RetrySchedule;
  /** If a delivery fails for good and none has succeeded for this long, the endpoint is disabled. */
  disableAfterMs: number;
  /** CA certificates trusted instead of the default ones. */
  ca: string | undefined;
};

const DEFAULTS: WebhookSettings = {
  timeoutMs: 15_000,
  retrySchedule: RETRY_SCHEDULE,
  disableAfterMs: 20 * HOUR_MS, // the retries of one delivery end after about 22 hours
  ca: undefined,
};

export function createWebhooks(deps: WebhookDeps): Webhooks {
  const { database, tasks, log } = deps;
  const { timeoutMs, ca, ...retries } = { ...DEFAULTS, ...deps.settings };
  const checkDestination = createDestinationCheck(deps);
  const publish = createPublishEvent(tasks);
  const inBackground = new Set<Promise<void>>();

  const runInBackground = (failure: LogEventName, accountId: string, work: () => Promise<void>) => {
    const done = work()
      .catch((error) => log(failure, { account_id: accountId, err: error }))
      .finally(() => inBackground.delete(done));
    inBackground.add(done);
  };

  const onDisabled = (endpoint: EndpointRow, reason: string) => {
    const { id, url, accountId } = endpoint;
    log("webhook_disabled", { endpoint_id: id, host: hostOf(url), reason });
    const { subject, text } = endpointDisabledEmail(endpoint, reason);
    runInBackground("webhook_disabled_email_failed", accountId, () =>
      deps.emailOwner(accountId, subject, text),
    );
  };

  return {
    ...createEndpoints({ database, tasks, checkDestination }),
    ...createDeliveryLog(deps),
    publish,
    checkDestination,
    publishLowCredits(accountId, balance) {
      const data = { balance, threshold: LOW_CREDITS };
      runInBackground("low_credits_publish_failed", accountId, () =>
        database.orm.transaction((tx) => publish(tx, { accountId, isTest: false }, "credits.low", data)),
      );
    },
    deliveryHandler: deliveryHandler({
      database,
      tasks,
      post: createPost({ checkDestination, timeoutMs, ca }),
      ...retries,
      userAgent: `Mailvet/${deps.version}`,
      onDisabled,
      countDelivery: deps.countDelivery,
      currentTrace: deps.currentTrace,
    }),
    onDeliveryExhausted: onDeliveryExhausted({ tasks, onDisabled }),
    redriveDelivery: redriveDelivery(tasks),
    async close() {
      while (inBackground.size > 0) await Promise.all(inBackground);
    },
  };
}
