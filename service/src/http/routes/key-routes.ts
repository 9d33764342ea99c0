/** The API keys page of the web app: see, make and revoke the keys of one's own account. */

import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ApiKey, CreatedKey, CreateKeyRequest, KEY_SCOPES } from "@mailvet/contract";
import { Type } from "typebox";
import type { ApiKeys, Key, KeySettings, KeyWithText } from "../../keys/api-keys.ts";
import { wrongValue } from "../../refusal.ts";
import { storeAnswer } from "../middleware/idempotency.ts";
import "../route-config.ts";

export type KeyRouteDeps = { keyring: Pick<ApiKeys, "list" | "create" | "revoke"> };

export const keyRoutes =
  ({ keyring }: KeyRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/keys", { schema: LIST_KEYS, config: { access: "session" } }, async (request) => {
      const keys = await keyring.list(request.caller!.accountId);
      return keys.map(presentKey);
    });

    app.post(
      "/keys",
      { schema: CREATE_KEY, config: { access: "session", problems: ["too_many_keys"] } },
      async (request, reply) => {
        const { accountId } = request.caller!;
        const stored = storeAnswer(request, reply, { status: 201, present: presentMadeKey });
        const made = await keyring.create(accountId, readWanted(request.body), stored);
        return reply.code(201).send(presentMadeKey(made));
      },
    );

    app.delete(
      "/keys/:key_id",
      { schema: REVOKE_KEY, config: { access: "session", problems: ["key_not_found"] } },
      async (request, reply) => {
        await keyring.revoke(request.caller!.accountId, request.params.key_id);
        return reply.code(204).send(null);
      },
    );
  };

const LIST_KEYS = {
  operationId: "listKeys",
  tags: ["keys"],
  summary: "List API keys",
  description: "Newest first, including those revoked in the last 90 days. The secrets are not among it.",
  response: { 200: Type.Array(ApiKey) },
};

const CREATE_KEY = {
  operationId: "createKey",
  tags: ["keys"],
  summary: "Make an API key",
  description:
    "The answer holds the secret, this once. Without mode it is a live key, without scopes it has them all.",
  body: CreateKeyRequest,
  response: { 201: CreatedKey },
};

const REVOKE_KEY = {
  operationId: "revokeKey",
  tags: ["keys"],
  summary: "Revoke an API key",
  description: "Within a second it is refused everywhere, for good. Revoking it again changes nothing.",
  params: Type.Object({ key_id: Type.String({ format: "uuid", description: "As in the list of keys." }) }),
  response: { 204: Type.Null({ description: "It is revoked." }) },
};

function readWanted(body: CreateKeyRequest): KeySettings {
  const name = body.name.trim();
  if (name === "") refuse("/name", "must have a character that is not blank");
  if (/\p{Cc}/u.test(name)) refuse("/name", "must be one line of text");
  const expiresAt = body.expires_at ? new Date(body.expires_at) : undefined;
  // A leap second is fine in RFC 3339 and no moment to JavaScript.
  if (expiresAt && !(expiresAt.getTime() > Date.now())) refuse("/expires_at", "must be in the future");
  return { name, mode: body.mode ?? "live", scopes: body.scopes ?? KEY_SCOPES, expiresAt };
}

function refuse(pointer: string, message: string): never {
  throw wrongValue(pointer, message, `${pointer} ${message}.`);
}

function presentMadeKey({ key, text }: KeyWithText): CreatedKey {
  return { ...presentKey(key), key: text };
}

function presentKey(key: Key): ApiKey {
  return {
    id: key.id,
    name: key.name,
    mode: key.mode,
    prefix: key.prefix,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
