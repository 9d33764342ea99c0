/** /webhooks: where an account wants to be told, and what was sent there. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  CreateWebhookRequest,
  DeliveryListQuery,
  UpdateWebhookRequest,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookWithSecret,
} from "@mailvet/contract";
import { Type } from "typebox";
import type { DeliveryLog } from "../../webhooks/delivery-log.ts";
import type { Endpoints } from "../../webhooks/endpoints.ts";
import { storeResponse } from "../middleware/idempotency.ts";
import { pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type WebhookRouteDeps = {
  webhooks: Endpoints & Pick<DeliveryLog, "deliveries" | "test" | "replay">;
};

export const webhookRoutes =
  ({ webhooks }: WebhookRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const reading = { scope: "read" } as const;
    const changing = { scope: "bulk" } as const;

    app.get("/webhooks", { schema: LIST, config: { access: reading } }, async (request) =>
      webhooks.list(request.caller!.accountId),
    );

    app.post(
      "/webhooks",
      {
        schema: CREATE,
        config: { access: changing, problems: ["webhook_url_rejected", "too_many_webhooks"] },
      },
      async (request, reply) => {
        const { caller, body } = request;
        const stored = storeResponse(request, reply, { status: 201 });
        return reply.code(201).send(await webhooks.create(caller!.accountId, body, stored));
      },
    );

    app.get(
      "/webhooks/:webhook_id",
      { schema: GET, config: { access: reading, problems: ["webhook_not_found"] } },
      async ({ caller, params }) => webhooks.get(caller!.accountId, params.webhook_id),
    );

    app.patch(
      "/webhooks/:webhook_id",
      {
        schema: UPDATE,
        config: { access: changing, problems: ["webhook_not_found", "webhook_url_rejected"] },
      },
      async ({ caller, params, body }) => webhooks.update(caller!.accountId, params.webhook_id, body),
    );

    app.delete(
      "/webhooks/:webhook_id",
      { schema: REMOVE, config: { access: changing, problems: ["webhook_not_found"] } },
      async ({ caller, params }, reply) => {
        await webhooks.remove(caller!.accountId, params.webhook_id);
        return reply.code(204).send(null);
      },
    );

    app.post(
      "/webhooks/:webhook_id/rotate-secret",
      { schema: ROTATE, config: { access: changing, problems: ["webhook_not_found"] } },
      async (request, reply) => {
        const { caller, params } = request;
        const stored = storeResponse(request, reply, { status: 200 });
        return webhooks.rotateSecret(caller!.accountId, params.webhook_id, stored);
      },
    );

    app.post(
      "/webhooks/:webhook_id/test",
      { schema: TEST, config: { access: changing, problems: ["webhook_not_found", "webhook_disabled"] } },
      async (request, reply) => {
        const { caller, params } = request;
        const stored = storeResponse(request, reply, { status: 202 });
        return reply.code(202).send(await webhooks.test(caller!.accountId, params.webhook_id, stored));
      },
    );

    app.get(
      "/webhooks/:webhook_id/deliveries",
      { schema: LIST_DELIVERIES, config: { access: reading, problems: ["webhook_not_found"] } },
      async (request, reply) => {
        const { caller, params, query } = request;
        const { deliveries, total } = await webhooks.deliveries(caller!.accountId, params.webhook_id, query);
        pageHeaders(request, reply, { ...query, total });
        return deliveries;
      },
    );

    app.post(
      "/webhooks/:webhook_id/deliveries/:delivery_id/replay",
      {
        schema: REPLAY,
        config: {
          access: changing,
          problems: ["webhook_not_found", "delivery_not_found", "webhook_disabled"],
        },
      },
      async (request, reply) => {
        const { accountId } = request.caller!;
        const { webhook_id: endpointId, delivery_id: deliveryId } = request.params;
        const stored = storeResponse(request, reply, { status: 202 });
        return reply.code(202).send(await webhooks.replay(accountId, endpointId, deliveryId, stored));
      },
    );
  };

const WEBHOOK_ID = Type.String({ format: "uuid", description: "As in the list of endpoints." });
const WebhookParams = Type.Object({ webhook_id: WEBHOOK_ID });
const DeliveryParams = Type.Object({
  webhook_id: WEBHOOK_ID,
  delivery_id: Type.String({ format: "uuid", description: "As in the list of deliveries." }),
});
const tags = ["webhooks"];

const LIST = {
  operationId: "listWebhooks",
  tags,
  summary: "List webhook endpoints",
  description: "Newest first. The secrets are not among it.",
  response: { 200: Type.Array(WebhookEndpoint) },
};

const CREATE = {
  operationId: "createWebhook",
  tags,
  summary: "Make a webhook endpoint",
  description:
    "The URL must begin with `https://` and lead to the public Internet. The answer holds the secret that messages are signed with, this once. Without `events` it hears of everything. An account has at most ten.",
  body: CreateWebhookRequest,
  response: { 201: WebhookWithSecret },
};

const GET = {
  operationId: "getWebhook",
  tags,
  summary: "One webhook endpoint",
  description: "Without its secret.",
  params: WebhookParams,
  response: { 200: WebhookEndpoint },
};

const UPDATE = {
  operationId: "updateWebhook",
  tags,
  summary: "Change a webhook endpoint",
  description:
    "What is not named stays as it is. Switched off, it is sent nothing, and what waited for it has failed; switched on again, it hears of what happens from then on.",
  params: WebhookParams,
  body: UpdateWebhookRequest,
  response: { 200: WebhookEndpoint },
};

const REMOVE = {
  operationId: "deleteWebhook",
  tags,
  summary: "Delete a webhook endpoint",
  description: "With everything that was sent to it, or waits to be.",
  params: WebhookParams,
  response: { 204: Type.Null({ description: "It is deleted." }) },
};

const ROTATE = {
  operationId: "rotateWebhookSecret",
  tags,
  summary: "Change the secret",
  description:
    "The answer holds the new secret, this once. For 24 hours messages are signed with both, so that there is time to change over.",
  params: WebhookParams,
  response: { 200: WebhookWithSecret },
};

const TEST = {
  operationId: "testWebhook",
  tags,
  summary: "Send a test message",
  description:
    "A `webhook.test` to this endpoint, whatever events it wants. Its delivery shows what came of it.",
  params: WebhookParams,
  response: { 202: WebhookDelivery },
};

const LIST_DELIVERIES = {
  operationId: "listWebhookDeliveries",
  tags,
  summary: "What was sent to an endpoint",
  description: "Newest first, of the last 30 days.",
  params: WebhookParams,
  querystring: DeliveryListQuery,
  response: { 200: Type.Array(WebhookDelivery) },
};

const REPLAY = {
  operationId: "replayWebhookDelivery",
  tags,
  summary: "Send a message again",
  description:
    "The same message under the same `webhook-id`, retried like a new one. One that still waits for its next attempt is sent now.",
  params: DeliveryParams,
  response: { 202: WebhookDelivery },
};
