/** /webhooks: webhook endpoints of an account, and their deliveries. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  type AuditAction,
  CreateWebhookRequest,
  DeliveryListQuery,
  UpdateWebhookRequest,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookWithSecret,
} from "@mailvet/contract";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { auditOnCommit } from "../../audit/audit-writer.ts";
import { bothOnCommit } from "../../db/database.ts";
import type { DeliveryLog } from "../../webhooks/delivery-log.ts";
import type { Endpoints } from "../../webhooks/endpoints.ts";
import { storeResponse } from "../middleware/idempotency.ts";
import { actorOf } from "../request-actor.ts";
import { pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type WebhookRouteDeps = {
  webhooks: Endpoints & Pick<DeliveryLog, "deliveries" | "test" | "replay">;
};

export const webhookRoutes =
  ({ webhooks }: WebhookRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const read = { scope: "read" } as const;
    const write = { scope: "bulk" } as const;

    const recorded = (request: FastifyRequest, action: AuditAction, more: { changed?: string } = {}) =>
      auditOnCommit(actorOf(request), ({ id, url, sandbox }: WebhookEndpoint) => ({
        action,
        accountId: request.caller!.accountId,
        subjectId: id,
        // Only the host: the rest of a URL may be a secret.
        details: { host: new URL(url).host, mode: sandbox ? "test" : "live", ...more },
      }));

    app.get("/webhooks", { schema: LIST, config: { access: read } }, async (request) =>
      webhooks.list(request.caller!),
    );

    app.post(
      "/webhooks",
      {
        schema: CREATE,
        config: { access: write, problems: ["webhook_url_rejected", "too_many_webhooks"] },
      },
      async (request, reply) => {
        const { caller, body } = request;
        const commit = bothOnCommit(
          recorded(request, "webhook.created"),
          storeResponse(request, reply, { status: 201 }),
        );
        return reply.code(201).send(await webhooks.create(caller!, body, commit));
      },
    );

    app.get(
      "/webhooks/:webhook_id",
      { schema: GET, config: { access: read, problems: ["webhook_not_found"] } },
      async ({ caller, params }) => webhooks.get(caller!, params.webhook_id),
    );

    app.patch(
      "/webhooks/:webhook_id",
      {
        schema: UPDATE,
        config: { access: write, problems: ["webhook_not_found", "webhook_url_rejected"] },
      },
      async (request) => {
        const { caller, params, body } = request;
        const changed = Object.keys(body).join(", ");
        return webhooks.update(
          caller!,
          params.webhook_id,
          body,
          recorded(request, "webhook.changed", { changed }),
        );
      },
    );

    app.delete(
      "/webhooks/:webhook_id",
      { schema: REMOVE, config: { access: write, problems: ["webhook_not_found"] } },
      async (request, reply) => {
        const { caller, params } = request;
        await webhooks.remove(caller!, params.webhook_id, recorded(request, "webhook.deleted"));
        return reply.code(204).send(null);
      },
    );

    app.post(
      "/webhooks/:webhook_id/rotate-secret",
      { schema: ROTATE, config: { access: write, problems: ["webhook_not_found"] } },
      async (request, reply) => {
        const { caller, params } = request;
        const commit = bothOnCommit(
          recorded(request, "webhook.secret_rotated"),
          storeResponse(request, reply, { status: 200 }),
        );
        return webhooks.rotateSecret(caller!, params.webhook_id, commit);
      },
    );

    app.post(
      "/webhooks/:webhook_id/test",
      { schema: TEST, config: { access: write, problems: ["webhook_not_found", "webhook_disabled"] } },
      async (request, reply) => {
        const { caller, params } = request;
        const stored = storeResponse(request, reply, { status: 202 });
        return reply.code(202).send(await webhooks.test(caller!, params.webhook_id, stored));
      },
    );

    app.get(
      "/webhooks/:webhook_id/deliveries",
      { schema: LIST_DELIVERIES, config: { access: read, problems: ["webhook_not_found"] } },
      async (request, reply) => {
        const { caller, params, query } = request;
        const { deliveries, total } = await webhooks.deliveries(caller!, params.webhook_id, query);
        pageHeaders(request, reply, { ...query, total });
        return deliveries;
      },
    );

    app.post(
      "/webhooks/:webhook_id/deliveries/:delivery_id/replay",
      {
        schema: REPLAY,
        config: {
          access: write,
          problems: ["webhook_not_found", "delivery_not_found", "webhook_disabled"],
        },
      },
      async (request, reply) => {
        const { webhook_id: endpointId, delivery_id: deliveryId } = request.params;
        const stored = storeResponse(request, reply, { status: 202 });
        return reply.code(202).send(await webhooks.replay(request.caller!, endpointId, deliveryId, stored));
      },
    );
  };

const WEBHOOK_ID = Type.String({ format: "uuid", description: "ID of the endpoint." });
const WebhookParams = Type.Object({ webhook_id: WEBHOOK_ID });
const DeliveryParams = Type.Object({
  webhook_id: WEBHOOK_ID,
  delivery_id: Type.String({ format: "uuid", description: "ID of the delivery." }),
});
const tags = ["webhooks"];

const LIST = {
  operationId: "listWebhooks",
  tags,
  summary: "List webhook endpoints",
  description: "Returns your webhook endpoints, newest first. Secrets are never returned.",
  response: { 200: Type.Array(WebhookEndpoint) },
};

const CREATE = {
  operationId: "createWebhook",
  tags,
  summary: "Create a webhook endpoint",
  description:
    "Creates an endpoint. The URL must be a public `https://` URL. The response contains the signing secret, which is shown only once. Without `events` the endpoint receives all events. An account can have up to ten endpoints.",
  body: CreateWebhookRequest,
  response: { 201: WebhookWithSecret },
};

const GET = {
  operationId: "getWebhook",
  tags,
  summary: "Retrieve a webhook endpoint",
  description: "Returns an endpoint without its secret.",
  params: WebhookParams,
  response: { 200: WebhookEndpoint },
};

const UPDATE = {
  operationId: "updateWebhook",
  tags,
  summary: "Update a webhook endpoint",
  description:
    "Updates the given fields and leaves the others unchanged. Disabling an endpoint stops deliveries and fails the pending ones; after enabling it again, it receives new events only.",
  params: WebhookParams,
  body: UpdateWebhookRequest,
  response: { 200: WebhookEndpoint },
};

const REMOVE = {
  operationId: "deleteWebhook",
  tags,
  summary: "Delete a webhook endpoint",
  description: "Deletes the endpoint with its delivery history and pending deliveries.",
  params: WebhookParams,
  response: { 204: Type.Null({ description: "Deleted." }) },
};

const ROTATE = {
  operationId: "rotateWebhookSecret",
  tags,
  summary: "Rotate the signing secret",
  description:
    "Replaces the signing secret. The response contains the new one, which is shown only once. For 24 hours messages are signed with both secrets.",
  params: WebhookParams,
  response: { 200: WebhookWithSecret },
};

const TEST = {
  operationId: "testWebhook",
  tags,
  summary: "Send a test event",
  description:
    "Sends a `webhook.test` event to this endpoint, whatever events it is subscribed to. The delivery shows the result.",
  params: WebhookParams,
  response: { 202: WebhookDelivery },
};

const LIST_DELIVERIES = {
  operationId: "listWebhookDeliveries",
  tags,
  summary: "List deliveries",
  description: "Returns the deliveries of the last 30 days, newest first.",
  params: WebhookParams,
  querystring: DeliveryListQuery,
  response: { 200: Type.Array(WebhookDelivery) },
};

const REPLAY = {
  operationId: "replayWebhookDelivery",
  tags,
  summary: "Replay a delivery",
  description:
    "Sends the same message again under the same `webhook-id`, with the usual retries. A pending delivery is attempted immediately.",
  params: DeliveryParams,
  response: { 202: WebhookDelivery },
};
