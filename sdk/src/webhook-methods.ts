/** Addresses that are told when something happens, and what became of each message to them. */
import type {
  CreateWebhookRequest,
  DELIVERY_STATES,
  UpdateWebhookRequest,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhookWithSecret,
} from "@mailvet/contract";
import type { CallOptions, Connection } from "./connection.ts";
import { onceKey } from "./once-key.ts";

export type WebhookMethods = {
  list(options?: CallOptions): Promise<WebhookEndpoint[]>;
  /** The answer holds the secret that signs every message, this once. */
  create(endpoint: NewWebhook, options?: CallOptions): Promise<WebhookWithSecret>;
  get(webhookId: string, options?: CallOptions): Promise<WebhookEndpoint>;
  /** Changes what is named and leaves the rest; switching it on again forgets why it was off. */
  update(webhookId: string, changes: WebhookChanges, options?: CallOptions): Promise<WebhookEndpoint>;
  remove(webhookId: string, options?: CallOptions): Promise<void>;
  /** A new secret, shown this once. */
  rotateSecret(webhookId: string, options?: CallOptions): Promise<WebhookWithSecret>;
  /** Sends the event webhook.test. */
  test(webhookId: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** Newest first. */
  deliveries(
    webhookId: string,
    query?: DeliveriesQuery,
    options?: CallOptions,
  ): Promise<{ items: WebhookDelivery[]; total: number }>;
  /** Sends the same message again. */
  replay(webhookId: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;
};

export type NewWebhook = {
  url: string;
  description?: string | undefined;
  /** Every event unless told. */
  events?: WebhookEvent[] | undefined;
};

export type WebhookChanges = {
  url?: string | undefined;
  description?: string | undefined;
  events?: WebhookEvent[] | undefined;
  isEnabled?: boolean | undefined;
};

export type DeliveriesQuery = {
  skip?: number | undefined;
  limit?: number | undefined;
  state?: (typeof DELIVERY_STATES)[number] | undefined;
};

export function webhookMethods(ask: Connection): WebhookMethods {
  const pathOf = (webhookId: string, part = "") => `/webhooks/${encodeURIComponent(webhookId)}${part}`;
  const post = async <T>(path: string, body?: object, options?: CallOptions): Promise<T> => {
    const once = { idempotencyKey: onceKey(), ...(body ? { body } : {}), ...options };
    return (await ask<T>({ method: "POST", path, ...once })).body;
  };
  return {
    async list(options) {
      return (await ask<WebhookEndpoint[]>({ method: "GET", path: "/webhooks", ...options })).body;
    },
    create: ({ url, description, events }, options) =>
      post("/webhooks", { url, description, events } satisfies Loose<CreateWebhookRequest>, options),
    async get(webhookId, options) {
      return (await ask<WebhookEndpoint>({ method: "GET", path: pathOf(webhookId), ...options })).body;
    },
    async update(webhookId, { url, description, events, isEnabled }, options) {
      const body = { url, description, events, is_enabled: isEnabled } satisfies Loose<UpdateWebhookRequest>;
      const call = { method: "PATCH", path: pathOf(webhookId), body, ...options } as const;
      return (await ask<WebhookEndpoint>(call)).body;
    },
    async remove(webhookId, options) {
      await ask({ method: "DELETE", path: pathOf(webhookId), ...options });
    },
    rotateSecret: (webhookId, options) => post(pathOf(webhookId, "/rotate-secret"), undefined, options),
    test: (webhookId, options) => post(pathOf(webhookId, "/test"), undefined, options),
    async deliveries(webhookId, { skip, limit, state } = {}, options) {
      const query = { skip, limit, state };
      const call = { method: "GET", path: pathOf(webhookId, "/deliveries"), query, ...options } as const;
      const { body, count } = await ask<WebhookDelivery[]>(call);
      return { items: body, total: count("x-total-count") ?? body.length };
    },
    replay: (webhookId, deliveryId, options) =>
      post(pathOf(webhookId, `/deliveries/${encodeURIComponent(deliveryId)}/replay`), undefined, options),
  };
}

/** Fields that are undefined do not travel. */
type Loose<T> = { [K in keyof T]: T[K] | undefined };
