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
import type { Loose, Page, PageQuery, Requests } from "./requests.ts";
import type { CallOptions } from "./transport.ts";

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
  ): Promise<Page<WebhookDelivery>>;
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

export type DeliveriesQuery = PageQuery & {
  state?: (typeof DELIVERY_STATES)[number] | undefined;
};

export function webhookMethods({ get, page, post, patch, delete: remove }: Requests): WebhookMethods {
  const pathOf = (webhookId: string, part = "") => `/webhooks/${encodeURIComponent(webhookId)}${part}`;
  return {
    list: (options) => get("/webhooks", options),
    create: ({ url, description, events }, options) =>
      post("/webhooks", { url, description, events } satisfies Loose<CreateWebhookRequest>, options),
    get: (webhookId, options) => get(pathOf(webhookId), options),
    update(webhookId, { url, description, events, isEnabled }, options) {
      const body = { url, description, events, is_enabled: isEnabled } satisfies Loose<UpdateWebhookRequest>;
      return patch(pathOf(webhookId), body, options);
    },
    remove: (webhookId, options) => remove(pathOf(webhookId), options),
    rotateSecret: (webhookId, options) => post(pathOf(webhookId, "/rotate-secret"), undefined, options),
    test: (webhookId, options) => post(pathOf(webhookId, "/test"), undefined, options),
    deliveries: (webhookId, { skip, limit, state } = {}, options) =>
      page(pathOf(webhookId, "/deliveries"), { query: { skip, limit, state }, ...options }),
    replay: (webhookId, deliveryId, options) =>
      post(pathOf(webhookId, `/deliveries/${encodeURIComponent(deliveryId)}/replay`), undefined, options),
  };
}
