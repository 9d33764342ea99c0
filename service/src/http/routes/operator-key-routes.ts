/** /operator/keys: list, create and revoke operator keys, by an operator's session only. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { CreatedOperatorKey, CreateOperatorKeyRequest, OperatorKey } from "@mailvet/contract";
import { parseIpRange } from "@mailvet/engine";
import { Type } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import { wrongValue } from "../../base/refusal.ts";
import type { OperatorKeyRow, OperatorKeys } from "../../keys/operator-keys.ts";
import { storeResponse } from "../middleware/idempotency.ts";
import { actorOf } from "../request-actor.ts";
import { keyExpiryOf, keyNameOf } from "./key-routes.ts";
import "../route-config.ts";

export type OperatorKeyRouteDeps = {
  operatorKeys: Pick<OperatorKeys, "list" | "create" | "revoke">;
  accounts: Pick<Accounts, "emailsOf">;
};

export const operatorKeyRoutes =
  ({ operatorKeys, accounts }: OperatorKeyRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const access = "operator_session";

    app.get("/operator/keys", { schema: LIST_KEYS, config: { access } }, async () => {
      const keys = await operatorKeys.list();
      const emails = await accounts.emailsOf([...new Set(keys.map(({ accountId }) => accountId))]);
      return keys.map((key) => presentKey(key, emails.get(key.accountId)));
    });

    app.post(
      "/operator/keys",
      { schema: CREATE_KEY, config: { access, problems: ["too_many_keys"] } },
      async (request, reply) => {
        const { accountId } = request.caller!;
        const email = (await accounts.emailsOf([accountId])).get(accountId);
        const present = ({ key, text }: { key: OperatorKeyRow; text: string }) => ({
          ...presentKey(key, email),
          key: text,
        });
        const { scopes, allowed_ranges: ranges = [] } = request.body;
        const wanted = {
          name: keyNameOf(request.body),
          scopes,
          allowedRanges: ranges.map(normalizedRange),
          expiresAt: keyExpiryOf(request.body),
        };
        const stored = storeResponse(request, reply, { status: 201, present });
        const created = await operatorKeys.create(accountId, wanted, actorOf(request), stored);
        return reply.code(201).send(present(created));
      },
    );

    app.delete(
      "/operator/keys/:key_id",
      { schema: REVOKE_KEY, config: { access, problems: ["key_not_found"] } },
      async (request, reply) => {
        await operatorKeys.revoke(request.params.key_id, actorOf(request));
        return reply.code(204).send(null);
      },
    );
  };

function normalizedRange(text: string, index: number): string {
  const range = text.trim();
  try {
    parseIpRange(range);
  } catch (error) {
    throw wrongValue(`/allowed_ranges/${index}`, (error as Error).message);
  }
  return range;
}

function presentKey(key: OperatorKeyRow, email: string | undefined): OperatorKey {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    allowed_ranges: key.allowedRanges,
    created_by: email ?? null,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

const tags = ["operator"];

const LIST_KEYS = {
  operationId: "listOperatorKeys",
  tags,
  summary: "List operator keys",
  description:
    "Returns the keys of all operators, newest first, including those revoked in the last 90 days. Secrets are never returned.",
  response: { 200: Type.Array(OperatorKey) },
};

const CREATE_KEY = {
  operationId: "createOperatorKey",
  tags,
  summary: "Create an operator key",
  description:
    "Creates a key for operator endpoints with these scopes, optionally limited to addresses and in time. The response contains the secret, which is shown only once. The key stops working when its creator is no operator any more.",
  body: CreateOperatorKeyRequest,
  response: { 201: CreatedOperatorKey },
};

const REVOKE_KEY = {
  operationId: "revokeOperatorKey",
  tags,
  summary: "Revoke an operator key",
  description: "Permanently revokes a key of any operator. It is refused from then on. Safe to repeat.",
  params: Type.Object({ key_id: Type.String({ format: "uuid", description: "ID of the operator key." }) }),
  response: { 204: Type.Null({ description: "Revoked." }) },
};
