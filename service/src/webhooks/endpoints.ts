/** An account's webhook endpoints. A secret is returned once, when it is created or rotated. */
import { randomUUID } from "node:crypto";
import type {
  CreateWebhookRequest,
  UpdateWebhookRequest,
  WebhookEndpoint,
  WebhookWithSecret,
} from "@mailvet/contract";
import { and, count, desc, eq, isNull } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import { ACCOUNT_LIMITS } from "../accounts/plans.ts";
import type { Owner } from "../base/caller.ts";

import { Refusal, wrongField } from "../base/refusal.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import type { Tasks } from "../queue/tasks.ts";
import { disableEndpoint } from "./auto-disable.ts";
import type { CheckDestination } from "./destination-check.ts";
import { findOwnEndpoint, isEndpointOf, lockOwnEndpoint } from "./endpoint-lock.ts";
import { presentEndpoint } from "./present-webhook.ts";
import { HOUR_MS } from "./retry-schedule.ts";
import { webhookEndpoints } from "./schema.ts";
import { makeWebhookSecret } from "./signature.ts";

/** Throws webhook_not_found for an unknown endpoint or one of another owner. */
export type Endpoints = {
  /** Newest first. */
  list(owner: Owner): Promise<WebhookEndpoint[]>;
  /** In both modes, with those of single jobs; newest first. */
  all(accountId: string): Promise<(WebhookEndpoint & { job_id?: string })[]>;
  /** Throws webhook_url_rejected and too_many_webhooks. */
  create(
    owner: Owner,
    wanted: CreateWebhookRequest,
    beforeCommit?: BeforeCommit<WebhookWithSecret>,
  ): Promise<WebhookWithSecret>;
  /** For the events of one job. Throws webhook_url_rejected. */
  checkJobUrl(owner: Owner, url: string): Promise<void>;
  /** Creates it in the transaction that creates the job; the URL must have been checked. Returns the secret. */
  createForJob(tx: Orm, owner: Owner, url: string, jobId: string): Promise<string>;
  /** Undefined: the job has none. */
  secretForJob(owner: Owner, jobId: string): Promise<string | undefined>;
  get(owner: Owner, endpointId: string): Promise<WebhookEndpoint>;
  /** Throws webhook_url_rejected. Disabling fails pending deliveries; enabling resets the failure state. */
  update(
    owner: Owner,
    endpointId: string,
    changes: UpdateWebhookRequest,
    beforeCommit?: BeforeCommit<WebhookEndpoint>,
  ): Promise<WebhookEndpoint>;
  /** Deletes the endpoint with its history and pending deliveries. */
  remove(owner: Owner, endpointId: string, beforeCommit?: BeforeCommit<WebhookEndpoint>): Promise<void>;
  /** The previous secret also signs for a day. */
  rotateSecret(
    owner: Owner,
    endpointId: string,
    beforeCommit?: BeforeCommit<WebhookWithSecret>,
  ): Promise<WebhookWithSecret>;
};

export type EndpointDeps = {
  database: Pick<Database, "orm">;
  tasks: Pick<Tasks, "closeGroup">;
  checkDestination: CheckDestination;
};

const PREVIOUS_SECRET_MS = 24 * HOUR_MS;

export function createEndpoints({ database, tasks, checkDestination }: EndpointDeps): Endpoints {
  const { orm } = database;

  async function requireAllowed({ isTest }: Owner, url: string, kind: "endpoint" | "job" = "endpoint") {
    const checked = await checkDestination(url, { isTest, kind });
    if (!("rejection" in checked)) return;
    const message = checked.rejection;
    const pointer = kind === "job" ? "/webhook_url" : "/url";
    throw new Refusal("webhook_url_rejected", message, { errors: [{ pointer, message }] });
  }

  return {
    async list(owner) {
      const rows = await orm
        .select()
        .from(webhookEndpoints)
        .where(and(isEndpointOf(owner), isNull(webhookEndpoints.jobId)))
        .orderBy(desc(webhookEndpoints.createdAt), desc(webhookEndpoints.id));
      return rows.map(presentEndpoint);
    },

    async all(accountId) {
      const rows = await orm
        .select()
        .from(webhookEndpoints)
        .where(eq(webhookEndpoints.accountId, accountId))
        .orderBy(desc(webhookEndpoints.createdAt), desc(webhookEndpoints.id));
      return rows.map((row) => ({
        ...presentEndpoint(row),
        ...(row.jobId !== null && { job_id: row.jobId }),
      }));
    },

    async create(owner, { url, description = "", events = [] }, beforeCommit) {
      requireOneLine(description);
      await requireAllowed(owner, url);
      return orm.transaction(async (tx) => {
        await refuseTooManyEndpoints(tx, owner);
        const secret = makeWebhookSecret();
        const { accountId, isTest } = owner;
        const row = { id: randomUUID(), accountId, isTest, url, description, events, secret };
        const [endpoint] = await tx.insert(webhookEndpoints).values(row).returning();
        const created = { ...presentEndpoint(endpoint!), secret };
        await beforeCommit?.(tx, created);
        return created;
      });
    },

    checkJobUrl: (owner, url) => requireAllowed(owner, url, "job"),

    async createForJob(tx, { accountId, isTest }, url, jobId) {
      const secret = makeWebhookSecret();
      const row = { id: randomUUID(), accountId, isTest, url, description: "", events: [], secret, jobId };
      await tx.insert(webhookEndpoints).values(row);
      return secret;
    },

    async secretForJob(owner, jobId) {
      const isIt = and(isEndpointOf(owner), eq(webhookEndpoints.jobId, jobId));
      const [endpoint] = await orm.select().from(webhookEndpoints).where(isIt);
      return endpoint?.secret;
    },

    async get(owner, endpointId) {
      return presentEndpoint(await findOwnEndpoint(orm, owner, endpointId));
    },

    async update(owner, endpointId, changes, beforeCommit) {
      const { url, description, events, is_enabled: isEnabled } = changes;
      if (description !== undefined) requireOneLine(description);
      await findOwnEndpoint(orm, owner, endpointId); // before the URL is resolved
      if (url !== undefined) await requireAllowed(owner, url);
      return orm.transaction(async (tx) => {
        const before = await lockOwnEndpoint(tx, owner, endpointId);
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
        const changed = presentEndpoint(endpoint!);
        await beforeCommit?.(tx, changed);
        return changed;
      });
    },

    remove: (owner, endpointId, beforeCommit) =>
      orm.transaction(async (tx) => {
        const endpoint = await lockOwnEndpoint(tx, owner, endpointId, "for_removal");
        await tasks.closeGroup(tx, endpointId);
        await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId));
        await beforeCommit?.(tx, presentEndpoint(endpoint));
      }),

    rotateSecret: (owner, endpointId, beforeCommit) =>
      orm.transaction(async (tx) => {
        const { secret: previousSecret } = await lockOwnEndpoint(tx, owner, endpointId);
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

function requireOneLine(description: string): void {
  if (!/\p{Cc}/u.test(description)) return;
  throw wrongField("/description", "must be one line of text");
}

/** Locks the account's row until the transaction ends, so that concurrent creations are counted one after another. */
async function refuseTooManyEndpoints(tx: Orm, owner: Owner): Promise<void> {
  await lockAccount(tx, owner.accountId);
  const [counted] = await tx
    .select({ endpoints: count() })
    .from(webhookEndpoints)
    .where(and(isEndpointOf(owner), isNull(webhookEndpoints.jobId)));
  if (counted!.endpoints < ACCOUNT_LIMITS.webhook_endpoints) return;
  throw new Refusal(
    "too_many_webhooks",
    `An account can have at most ${ACCOUNT_LIMITS.webhook_endpoints} webhook endpoints. Delete one that is no longer used.`,
  );
}
