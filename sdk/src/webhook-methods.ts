/** Webhook endpoints and their deliveries. */
import type {
  CreateWebhookRequest,
  DELIVERY_STATES,
  UpdateWebhookRequest,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhookWithSecret,
} from "@mailvet/contract";
import { createIdempotencyKey } from "./idempotency-key.ts";
import type { CallOptions, SendRequest } from "./transport.ts";

export type WebhookMethods = {
  list(options?: CallOptions): Promise<WebhookEndpoint[]>;
  /** The response contains the signing secret, which is not shown again. */
  create(endpoint: NewWebhook, options?: CallOptions): Promise<WebhookWithSecret>;
  get(webhookId: string, options?: CallOptions): Promise<WebhookEndpoint>;
  /** Changes only the given fields. Enabling an endpoint clears `disabled_reason`. */
  update(webhookId: string, changes: WebhookChanges, options?: CallOptions): Promise<WebhookEndpoint>;
  remove(webhookId: string, options?: CallOptions): Promise<void>;
  /** Returns a new secret, which is not shown again. */
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
  /** Default: all events. */
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

export function webhookMethods(send: SendRequest): WebhookMethods {
  const pathOf = (webhookId: string, part = "") => `/webhooks/${encodeURIComponent(webhookId)}${part}`;
  const post = async <T>(path: string, body?: object, options?: CallOptions): Promise<T> => {
    const request = { idempotencyKey: createIdempotencyKey(), ...(body ? { body } : {}), ...options };
    return (await send<T>({ method: "POST", path, ...request })).body;
  };
  return {
    async list(options) {
      return (await send<WebhookEndpoint[]>({ method: "GET", path: "/webhooks", ...options })).body;
    },
    create: ({ url, description, events }, options) =>
      post("/webhooks", { url, description, events } satisfies Loose<CreateWebhookRequest>, options),
    async get(webhookId, options) {
      return (await send<WebhookEndpoint>({ method: "GET", path: pathOf(webhookId), ...options })).body;
    },
    async update(webhookId, { url, description, events, isEnabled }, options) {
      const body = { url, description, events, is_enabled: isEnabled } satisfies Loose<UpdateWebhookRequest>;
      const call = { method: "PATCH", path: pathOf(webhookId), body, ...options } as const;
      return (await send<WebhookEndpoint>(call)).body;
    },
    async remove(webhookId, options) {
      await send({ method: "DELETE", path: pathOf(webhookId), ...options });
    },
    rotateSecret: (webhookId, options) => post(pathOf(webhookId, "/rotate-secret"), undefined, options),
    test: (webhookId, options) => post(pathOf(webhookId, "/test"), undefined, options),
    async deliveries(webhookId, { skip, limit, state } = {}, options) {
      const query = { skip, limit, state };
      const call = { method: "GET", path: pathOf(webhookId, "/deliveries"), query, ...options } as const;
      const { body, count } = await send<WebhookDelivery[]>(call);
      return { items: body, total: count("x-total-count") ?? body.length };
    },
    replay: (webhookId, deliveryId, options) =>
      post(pathOf(webhookId, `/deliveries/${encodeURIComponent(deliveryId)}/replay`), undefined, options),
  };
}

/** Undefined fields are not sent. */
type Loose<T> = { [K in keyof T]: T[K] | undefined };
