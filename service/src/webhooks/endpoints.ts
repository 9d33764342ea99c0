/** Where an account wants to be told. A secret is shown when it is made, and never again. */
import { randomUUID } from "node:crypto";
import type {
  CreateWebhookRequest,
  UpdateWebhookRequest,
  WebhookEndpoint,
  WebhookWithSecret,
} from "@mailvet/contract";
import { count, desc, eq } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import { webhookEndpoints } from "../db/webhook-schema.ts";
import type { Tasks } from "../queue/tasks.ts";
import { Refusal, wrongValue } from "../refusal.ts";
import { disableEndpoint } from "./auto-disable.ts";
import type { CheckDestination } from "./destination-check.ts";
import { findOwnEndpoint, lockOwnEndpoint } from "./endpoint-lock.ts";
import { presentEndpoint } from "./present-webhook.ts";
import { HOUR_MS } from "./retry-schedule.ts";
import { makeWebhookSecret } from "./signature.ts";

/** Those about one endpoint refuse with webhook_not_found, also for another account's. */
export type Endpoints = {
  /** Newest first. */
  list(accountId: string): Promise<WebhookEndpoint[]>;
  /** Refuses with webhook_url_rejected and too_many_webhooks. */
  create(
    accountId: string,
    wanted: CreateWebhookRequest,
    beforeCommit?: BeforeCommit<WebhookWithSecret>,
  ): Promise<WebhookWithSecret>;
  get(accountId: string, endpointId: string): Promise<WebhookEndpoint>;
  /** Refuses with webhook_url_rejected. Switched off, what waits for it has failed; switched on, all is forgiven. */
  update(accountId: string, endpointId: string, changes: UpdateWebhookRequest): Promise<WebhookEndpoint>;
  /** With everything that was sent to it, and what waits. */
  remove(accountId: string, endpointId: string): Promise<void>;
  /** A new secret; the one before it signs too for a day. */
  rotateSecret(
    accountId: string,
    endpointId: string,
    beforeCommit?: BeforeCommit<WebhookWithSecret>,
  ): Promise<WebhookWithSecret>;
};

export type EndpointDeps = {
  database: Pick<Database, "orm">;
  tasks: Pick<Tasks, "closeLane">;
  judge: CheckDestination;
};

export const MAX_ENDPOINTS_PER_ACCOUNT = 10;
const PREVIOUS_SECRET_MS = 24 * HOUR_MS;

export function createEndpoints({ database, tasks, judge }: EndpointDeps): Endpoints {
  const { orm } = database;
  return {
    async list(accountId) {
      const rows = await orm
        .select()
        .from(webhookEndpoints)
        .where(eq(webhookEndpoints.accountId, accountId))
        .orderBy(desc(webhookEndpoints.createdAt), desc(webhookEndpoints.id));
      return rows.map(presentEndpoint);
    },

    async create(accountId, { url, description = "", events = [] }, beforeCommit) {
      requireOneLine(description);
      await requireFit(judge, url);
      return orm.transaction(async (tx) => {
        await makeRoom(tx, accountId);
        const secret = makeWebhookSecret();
        const row = { id: randomUUID(), accountId, url, description, events, secret };
        const [endpoint] = await tx.insert(webhookEndpoints).values(row).returning();
        const made = { ...presentEndpoint(endpoint!), secret };
        await beforeCommit?.(tx, made);
        return made;
      });
    },

    async get(accountId, endpointId) {
      return presentEndpoint(await findOwnEndpoint(orm, accountId, endpointId));
    },

    async update(accountId, endpointId, { url, description, events, is_enabled: isEnabled }) {
      if (description !== undefined) requireOneLine(description);
      await findOwnEndpoint(orm, accountId, endpointId); // before a stranger's name is looked up
      if (url !== undefined) await requireFit(judge, url);
      return orm.transaction(async (tx) => {
        const before = await lockOwnEndpoint(tx, accountId, endpointId);
        if (isEnabled === false && before.isEnabled) await disableEndpoint(tasks, tx, before, undefined);
        const [endpoint] = await tx
          .update(webhookEndpoints)
          .set({
            url: url ?? before.url,
            description: description ?? before.description,
            events: events ?? before.events,
            ...(isEnabled ? { isEnabled, disabledReason: null, failingSince: null } : {}),
          })
          .where(eq(webhookEndpoints.id, endpointId))
          .returning();
        return presentEndpoint(endpoint!);
      });
    },

    remove: (accountId, endpointId) =>
      orm.transaction(async (tx) => {
        await lockOwnEndpoint(tx, accountId, endpointId, "against announcements");
        await tasks.closeLane(tx, endpointId);
        await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId));
      }),

    rotateSecret: (accountId, endpointId, beforeCommit) =>
      orm.transaction(async (tx) => {
        const { secret: previousSecret } = await lockOwnEndpoint(tx, accountId, endpointId);
        const secret = makeWebhookSecret();
        const previousSecretUntil = new Date(Date.now() + PREVIOUS_SECRET_MS);
        const [endpoint] = await tx
          .update(webhookEndpoints)
          .set({ secret, previousSecret, previousSecretUntil })
          .where(eq(webhookEndpoints.id, endpointId))
          .returning();
        const rotated = { ...presentEndpoint(endpoint!), secret };
        await beforeCommit?.(tx, rotated);
        return rotated;
      }),
  };
}

async function requireFit(judge: CheckDestination, url: string): Promise<void> {
  const judged = await judge(url);
  if (!("unfit" in judged)) return;
  const message = judged.unfit;
  throw new Refusal("webhook_url_rejected", message, { errors: [{ pointer: "/url", message }] });
}

function requireOneLine(description: string): void {
  if (!/\p{Cc}/u.test(description)) return;
  throw wrongValue("/description", "must be one line of text", "/description must be one line of text.");
}

/** Holds the account's row until the transaction ends, so that endpoints made at the same time are counted one by one. */
async function makeRoom(tx: Orm, accountId: string): Promise<void> {
  await lockAccount(tx, accountId);
  const [counted] = await tx
    .select({ endpoints: count() })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, accountId));
  if (counted!.endpoints < MAX_ENDPOINTS_PER_ACCOUNT) return;
  throw new Refusal(
    "too_many_webhooks",
    `An account has at most ${MAX_ENDPOINTS_PER_ACCOUNT} webhook endpoints: delete one that is no longer used.`,
  );
}
