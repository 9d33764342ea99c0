/**
 * Test fixture: the HTTP server with its middleware, a real database, keys, sessions and credits, and a few routes that
 * exist in tests only.
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { API_PREFIX, type KeyMode, type KeyScope, type Plan, ValidationRequest } from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { expect } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import { createSessions } from "../src/accounts/sessions.ts";
import { createLog } from "../src/base/log.ts";
import { Refusal } from "../src/base/refusal.ts";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import type { RequestCharge } from "../src/credits/request-charge.ts";
import { createPubSub } from "../src/db/pubsub.ts";
import { buildApp } from "../src/http/app.ts";
import type { HttpSettings } from "../src/http/http-settings.ts";
import { createMetrics } from "../src/http/metrics.ts";
import { createCredentialWatch } from "../src/http/middleware/credential-watch.ts";
import { createSessionCookie } from "../src/http/middleware/session-cookie.ts";
import { chargeOf } from "../src/http/middleware/settle-charges.ts";
import { createIdempotentResponses } from "../src/idempotency/idempotent-responses.ts";
import { createApiKeys } from "../src/keys/api-keys.ts";
import { createOperatorKeys } from "../src/keys/operator-keys.ts";
import { createAccountLimits } from "../src/request-limits/account-limits.ts";
import { chargingOn } from "./credits-books.ts";
import { openTestDatabase } from "./database.ts";
import { PATIENCE, PATIENT_HTTP } from "./patience.ts";

/** Per account; lower than in production, so that a test can reach it. */
export const MAX_STORED_RESPONSES = 20_000;

export type Wanted = { plan?: Plan; isOperator?: boolean; credits?: number };
export type WantedKey = { mode?: KeyMode; scopes?: KeyScope[] };
export type HttpWorld = Awaited<ReturnType<typeof openHttpWorld>>;

export async function openHttpWorld(settings: Partial<HttpSettings> = {}) {
  const database = await openTestDatabase();
  const notices = createPubSub(database.connection, { log: () => {} });
  const credentialWatch = createCredentialWatch({ notices });
  await notices.start();
  const keyring = createApiKeys({ database, notices });
  const sessions = createSessions({ database });
  const ledger = createLedger({ database });
  const idempotentResponses = createIdempotentResponses(database, MAX_STORED_RESPONSES);
  const cookie = createSessionCookie(settings.publicUrl);
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    addresses: "masked",
    destination: { write: (line) => lines.push(line) },
  });
  const charging = chargingOn(database, ledger);
  const bench = testBench(ledger);
  const app = buildApp({
    settings: { ...PATIENT_HTTP, ...settings },
    pool: database.pool,
    accountLimits: createAccountLimits(),
    apiKeys: keyring,
    operatorKeys: createOperatorKeys({ database }),
    sessions,
    credentialWatch,
    cookie,
    idempotentResponses,
    ...charging,
    log,
    metrics: createMetrics(),
    version: "0.0.0",
    routes: [bench.routes],
  });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });

  async function account({ plan = "payg", isOperator = false, credits = 100 }: Wanted = {}) {
    const email = `${Math.random().toString(36).slice(2)}@example.com`;
    const [row] = await database.orm.insert(accounts).values({ email, plan, isOperator }).returning();
    const accountId = row!.id;
    await database.orm.transaction((tx) => ledger.open(tx, accountId, credits, "opened"));
    return {
      id: accountId,
      key: async ({ mode = "live", scopes = ["validate", "bulk", "read"] }: WantedKey = {}) =>
        (await keyring.create(accountId, { name: "test", mode, scopes, expiresAt: undefined })).text,
      cookie: async () => {
        const client = { ip: "127.0.0.1", userAgent: "test" };
        const { token } = await sessions.open(database.orm, accountId, client, "password");
        return `${cookie.name}=${token}`;
      },
    };
  }

  const close = async () => {
    bench.open();
    await app.close();
    await charging.repeatedWrites.close();
    await ledger.close();
    await keyring.close();
    await notices.close();
    await database.close();
  };
  return {
    app,
    origin,
    api: `${origin}${API_PREFIX}`,
    port: Number(new URL(origin).port),
    database,
    idempotentResponses,
    ledger,
    bench,
    account,
    /** Waits for a log line that matches. */
    async logged(isIt: (line: Record<string, unknown>) => boolean) {
      const found = () => lines.map((line) => JSON.parse(line)).find(isIt);
      await expect.poll(found).toBeDefined();
      return found();
    },
    logText: () => lines.join(""),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Resolves when the server has read this many bytes of the next connection. */
export async function untilRead({ app }: Pick<HttpWorld, "app">, bytes: number): Promise<void> {
  const [socket] = (await once(app.server, "connection")) as [Socket];
  while (socket.bytesRead < bytes) await nextTurn();
}

export type AfterCharge = { charge: RequestCharge; request: FastifyRequest; reply: FastifyReply };

/** Test routes. `calls` counts how often each handler was executed. */
function testBench(ledger: Ledger) {
  const calls: Record<string, number> = {};
  const count = (name: string) => {
    calls[name] = (calls[name] ?? 0) + 1;
    return calls[name];
  };
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const Thing = Type.Object({ thing_id: Type.String({ format: "uuid" }) });
  const Page = Type.Object(
    { skip: Type.Integer({ minimum: 0, default: 0 }), flag: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  );

  const routes: FastifyPluginAsyncTypebox = async (api) => {
    api.post(
      "/echo",
      { schema: { body: ValidationRequest }, config: { access: { scope: "validate" } } },
      async (request) => ({ email: request.body.email, call: count("echo"), once: request.idempotencyKey }),
    );
    api.get("/spend", { config: { access: { scope: "validate" } } }, async () => ({ call: count("spend") }));
    api.get(
      "/read",
      { schema: { querystring: Page }, config: { access: { scope: "read" } } },
      async (request) => ({
        ...request.query,
        call: count("read"),
      }),
    );
    api.get("/any", { config: { access: "any_key" } }, async (request) => {
      request.creditsRemaining = 7;
      return { caller: request.caller };
    });
    api.get("/me", { config: { access: "session" } }, async (request) => ({
      account: request.caller?.accountId,
    }));
    api.post("/me", { config: { access: "session" } }, async () => ({ call: count("me") }));
    api.get("/rule", { config: { access: { operator: "system:read" } } }, async () => ({
      call: count("rule"),
    }));
    api.get("/open", { config: { access: "open" } }, async () => ({ open: true }));
    api.delete(
      "/things/:thing_id",
      { schema: { params: Thing }, config: { access: "any_key" } },
      async (_, reply) => reply.code(204).send(),
    );
    api.post("/bulk", { config: { access: { scope: "bulk" }, isBulk: true } }, async () => {
      count("bulk");
      await gate;
      return { done: true };
    });
    api.post("/fail", { config: { access: "any_key" } }, async () => {
      count("fail");
      throw new Error("the fuse blew while ann@example.com was looked at");
    });
    api.post("/broke", { config: { access: "any_key" } }, async () => {
      throw new Refusal("insufficient_credits", "Too expensive.", { required: 5, available: count("broke") });
    });
    api.post("/paid", { config: { access: { scope: "validate" } } }, async (request, reply) => {
      const charge = chargeOf(request);
      await ledger.charge(charge, 3);
      return bench.afterCharge({ charge, request, reply });
    });
    api.post("/cookie", { config: { access: "session" } }, async (_, reply) => {
      reply.header("set-cookie", `new=${count("cookie")}`);
      return { call: calls.cookie };
    });
  };
  const bench = {
    routes,
    calls,
    open: () => open(),
    /** What `/paid` answers after it has charged 3 credits. */
    afterCharge: async (_: AfterCharge): Promise<unknown> => ({ paid: true }),
  };
  return bench;
}

/** Sends raw bytes and returns everything received until the server closes the connection. */
export async function sendRaw(port: number, ...chunks: (string | Buffer)[]): Promise<string> {
  const { connect } = await import("node:net");
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.setTimeout(PATIENCE.timeout, () => reject(new Error(`still open, received: ${received}`)));
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    for (const chunk of chunks) socket.write(chunk);
  });
}
