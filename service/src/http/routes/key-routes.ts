/** /keys: list, create and revoke the API keys of the account, by session only. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ApiKey, CreatedKey, CreateKeyRequest, KEY_SCOPES } from "@mailvet/contract";
import { Type } from "typebox";
import { wrongField } from "../../base/refusal.ts";
import { type ApiKeys, type KeySettings, type KeyWithText, presentKey } from "../../keys/api-keys.ts";
import { storeResponse } from "../middleware/idempotency.ts";
import { actorOf } from "../request-actor.ts";
import "../route-config.ts";

export type KeyRouteDeps = { apiKeys: Pick<ApiKeys, "list" | "create" | "revoke"> };

export const keyRoutes =
  ({ apiKeys }: KeyRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/keys", { schema: LIST_KEYS, config: { access: "session" } }, async (request) => {
      const keys = await apiKeys.list(request.caller!.accountId);
      return keys.map(presentKey);
    });

    app.post(
      "/keys",
      { schema: CREATE_KEY, config: { access: "session", problems: ["too_many_keys"] } },
      async (request, reply) => {
        const { accountId } = request.caller!;
        const stored = storeResponse(request, reply, { status: 201, present: presentMadeKey });
        const made = await apiKeys.create(accountId, wantedKeyOf(request.body), actorOf(request), stored);
        return reply.code(201).send(presentMadeKey(made));
      },
    );

    app.delete(
      "/keys/:key_id",
      { schema: REVOKE_KEY, config: { access: "session", problems: ["key_not_found"] } },
      async (request, reply) => {
        await apiKeys.revoke(request.caller!.accountId, request.params.key_id, actorOf(request));
        return reply.code(204).send(null);
      },
    );
  };

const LIST_KEYS = {
  operationId: "listKeys",
  tags: ["keys"],
  summary: "List API keys",
  description:
    "Returns your API keys, newest first, including those revoked in the last 90 days. Secrets are never returned.",
  response: { 200: Type.Array(ApiKey) },
};

const CREATE_KEY = {
  operationId: "createKey",
  tags: ["keys"],
  summary: "Create an API key",
  description:
    "Creates an API key. The response contains the secret, which is shown only once. The mode defaults to live, and the scopes to all.",
  body: CreateKeyRequest,
  response: { 201: CreatedKey },
};

const REVOKE_KEY = {
  operationId: "revokeKey",
  tags: ["keys"],
  summary: "Revoke an API key",
  description: "Permanently revokes a key. All processes reject it within a second. Safe to repeat.",
  params: Type.Object({ key_id: Type.String({ format: "uuid", description: "ID of the API key." }) }),
  response: { 204: Type.Null({ description: "Revoked." }) },
};

function wantedKeyOf(body: CreateKeyRequest): KeySettings {
  const { mode = "live", scopes = KEY_SCOPES } = body;
  return { name: keyNameOf(body), mode, scopes, expiresAt: keyExpiryOf(body) };
}

export function keyNameOf(body: { name: string }): string {
  const name = body.name.trim();
  if (name === "") refuse("/name", "must not be blank");
  if (/\p{Cc}/u.test(name)) refuse("/name", "must be a single line");
  return name;
}

export function keyExpiryOf(body: { expires_at?: string | null }): Date | undefined {
  const expiresAt = body.expires_at ? new Date(body.expires_at) : undefined;
  // RFC 3339 allows leap seconds, which are an invalid Date in JavaScript.
  if (expiresAt && !(expiresAt.getTime() > Date.now())) refuse("/expires_at", "must be in the future");
  return expiresAt;
}

function refuse(pointer: string, message: string): never {
  throw wrongField(pointer, message);
}

function presentMadeKey({ key, text }: KeyWithText): CreatedKey {
  return { ...presentKey(key), key: text };
}
