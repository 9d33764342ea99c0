/**
 * Webhooks: an account's own servers are told when something has happened, by the Standard Webhooks 1.0 scheme.
 *
 * A happening is announced in the transaction that makes it so (publish-event.ts), waits in the queue, one lane for each
 * endpoint, and is handed over by a worker (delivery-handler.ts). endpoints.ts and delivery-log.ts are what the API shows.
 */
import { LOW_CREDITS } from "@mailvet/contract";
import type { Resolver } from "@mailvet/engine";
import type { Database } from "../db/database.ts";
import type { ProcessRegistry } from "../queue/process-registry.ts";
import type { OnExhausted, TaskHandler } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { endpointDisabledEmail } from "./auto-disable.ts";
import { deliveryHandler, giveUpDelivery } from "./delivery-handler.ts";
import { createDeliveryLog, type DeliveryLog } from "./delivery-log.ts";
import { createDestinationCheck, hostOf } from "./destination-check.ts";
import { createEndpoints, type Endpoints } from "./endpoints.ts";
import { createPost } from "./http-post.ts";
import type { EndpointRow } from "./present-webhook.ts";
import { createPublishEvent, type PublishEvent } from "./publish-event.ts";
import { HOUR_MS, RETRY_SCHEDULE, type RetrySchedule } from "./retry-schedule.ts";

export type { PublishEvent } from "./publish-event.ts";

export type Webhooks = Endpoints &
  DeliveryLog & {
    /** Inside the caller's transaction: it is told if, and only if, that commits. */
    announce: PublishEvent;
    /** The account's credits have just run low. It is told soon, in a transaction of its own; nobody waits for it. */
    tellLow(accountId: string, balance: number): void;
    /** For the workers of the line "webhooks". */
    deliveryHandler: TaskHandler;
    giveUp: OnExhausted;
    /** When what nobody waited for is done. */
    close(): Promise<void>;
  };

export type WebhookDeps = {
  database: Database;
  tasks: Pick<Tasks, "openGroup" | "closeGroup" | "add" | "complete" | "postpone" | "expedite">;
  processes: Pick<ProcessRegistry, "id">;
  resolver: Pick<Resolver, "ask">;
  /** Ranges that are open beside the public Internet. */
  egressAllow: readonly string[];
  version: string;
  /** A mail to the account's owner. */
  mailNotice: (accountId: string, subject: string, text: string) => Promise<void>;
  say: (text: string) => void;
  settings?: Partial<WebhookSettings>;
};

export type WebhookSettings = {
  /** For one attempt, from looking up the name to the answer. */
  timeoutMs: number;
  retryPlan: RetrySchedule;
  /** When a message is given up and nothing has arrived for as long as this, the endpoint is switched off. */
  switchOffAfterMs: number;
  /** Certificate authorities that are trusted in place of the well-known ones. */
  ca: string | undefined;
};

const DEFAULTS: WebhookSettings = {
  timeoutMs: 15_000,
  retryPlan: RETRY_SCHEDULE,
  switchOffAfterMs: 20 * HOUR_MS, // a message that nobody took from first to last is given up after some 22
  ca: undefined,
};

export function createWebhooks(deps: WebhookDeps): Webhooks {
  const { database, tasks, processes, say } = deps;
  const { timeoutMs, ca, ...pace } = { ...DEFAULTS, ...deps.settings };
  const judge = createDestinationCheck(deps);
  const announce = createPublishEvent(tasks);
  const underWay = new Set<Promise<void>>();

  const inBackground = (what: string, work: () => Promise<void>) => {
    const done = work()
      .catch((error) => say(`${what} failed: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };

  const onSwitchedOff = (endpoint: EndpointRow, reason: string) => {
    say(`webhook endpoint ${endpoint.id} at ${hostOf(endpoint.url)} is switched off: ${reason}`);
    const { subject, text } = endpointDisabledEmail(endpoint, reason);
    inBackground("the mail about it", () => deps.mailNotice(endpoint.accountId, subject, text));
  };

  return {
    ...createEndpoints({ database, tasks, judge }),
    ...createDeliveryLog({ database, tasks }),
    announce,
    tellLow(accountId, balance) {
      const news = { balance, threshold: LOW_CREDITS };
      inBackground("telling of low credits", () =>
        database.orm.transaction((tx) => announce(tx, accountId, "credits.low", news)),
      );
    },
    deliveryHandler: deliveryHandler({
      database,
      tasks,
      processes,
      post: createPost({ judge, timeoutMs, ca }),
      ...pace,
      userAgent: `Mailvet/${deps.version}`,
      onSwitchedOff,
    }),
    giveUp: giveUpDelivery({ database }),
    async close() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
