/**
 * Idempotency-Key on every POST of an authenticated caller: the request is executed once, and repetitions get the
 * stored response for 24 hours.
 *
 * The route's handler is wrapped and called from one place only, after the key was claimed. A replay returns the stored
 * response instead of calling it. (A hook cannot guarantee that: when the client disconnects before the response is
 * written, Fastify goes on to the handler.)
 *
 * Only successful responses are stored. A refusal releases the key, and so does a response of more than half a megabyte
 * compressed: its repetition is a new request, and charged. After an internal error only the same request may use the
 * key. Effects outside the ledger store the response in their own transaction (storeResponse); charges and grants are
 * keyed in the ledger by `idempotencyKey`. A process that dies at any moment therefore leaves either no effect, or an effect
 * whose repetition changes nothing.
 *
 * A charge is refunded in the transaction that stores the response or releases the key, and only by the holder of the lease:
 * a released key without the refund would be paid for nothing, a refund without the release a free repetition.
 *
 * Storage is in idempotency/. Why no existing plugin: docs/decisions/0010-own-idempotency.md.
 */
import { HEADERS } from "@mailvet/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../base/caller.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Ledger } from "../../credits/ledger.ts";
import type { BeforeCommit, Orm } from "../../db/database.ts";
import type { RepeatedWrites } from "../../db/repeated-writes.ts";
import { type ResponseCipher, responseCipherFor } from "../../idempotency/encrypted-response.ts";
import {
  type IdempotentResponses,
  RENEW_EVERY_MS,
  type ResponseKey,
} from "../../idempotency/idempotent-responses.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set while this request executes under an Idempotency-Key. */
    idempotencyLease: Lease | undefined;
    /** The response can be replayed for 24 hours, whatever happens to this connection. */
    isResponseStored: boolean;
    /** This process was suspended beyond its lease and another request has the key: this one must have no effect. */
    hasLostLease: boolean;
    /** The response is a refusal, although its status says success: of an MCP tool. */
    isRefused: boolean;
  }
}

type Lease = {
  responses: IdempotentResponses;
  key: ResponseKey;
  holder: string;
  isTakenOver: boolean;
  /** The response was stored in the transaction that has the effect. */
  isStored: boolean;
  cipher: ResponseCipher;
  renewal: NodeJS.Timeout;
};

/** Marks a replayed response. */
export const REPLAYED = "idempotency-replayed";
/** Compressed and encrypted. */
const MAX_STORED_BYTES = 512 * 1024;
const KEY = /^[\x21-\x7e]{1,255}$/;

export type IdempotencyDeps = {
  idempotentResponses: IdempotentResponses; // idempotency/idempotent-responses.ts
  ledger: Pick<Ledger, "refundWithin">;
  repeatedWrites: Pick<RepeatedWrites, "write">;
  log: Pick<Log, "event">;
};

export function honourIdempotencyKeys(
  app: FastifyInstance,
  { idempotentResponses, ledger, repeatedWrites, log }: IdempotencyDeps,
): void {
  app.decorateRequest("idempotencyKey", undefined);
  app.decorateRequest("idempotencyLease", undefined);
  app.decorateRequest("isResponseStored", false);
  app.decorateRequest("hasLostLease", false);
  app.decorateRequest("isRefused", false);

  app.addHook("onRoute", (route) => {
    const { access = "open", idempotency = true } = route.config ?? {};
    if (route.method !== "POST" || access === "open" || idempotency !== true) return;
    const { handler } = route;
    route.handler = function (request, reply) {
      const idempotencyKey = idempotencyKeyOf(request);
      if (idempotencyKey === undefined) return handler.call(this, request, reply); // most requests: no extra promise
      const execute = () => handler.call(this, request, reply);
      return executeOnce(idempotentResponses, idempotencyKey, request, reply, execute);
    };
  });

  // Stored before it is sent, so that a client that has the response can rely on the replay.
  app.addHook("onSend", (request, reply, payload, done) => {
    const lease = request.idempotencyLease;
    if (!lease) return done(null, payload);
    request.idempotencyLease = undefined;
    clearInterval(lease.renewal);
    if (request.charge) request.charge.isSettled = true;
    settle(lease, { ledger, repeatedWrites, log }, request, reply, payload)
      .then((outcome) => {
        request.isResponseStored = outcome === "stored";
        request.hasLostLease = outcome === "lost";
      })
      .finally(() => done(null, payload));
  });
}

/** Calls `execute` when this request has claimed the key; otherwise replays the stored response, or refuses. */
async function executeOnce(
  responses: IdempotentResponses,
  idempotencyKey: string,
  request: FastifyRequest,
  reply: FastifyReply,
  execute: () => unknown,
): Promise<unknown> {
  const caller = request.caller!;
  const cipher = cipherFor(caller, idempotencyKey);
  const key = { accountId: caller.accountId, keyHash: cipher.keyHash };
  const claim = await responses.claim(key, cipher.fingerprint(fingerprintParts(request)));
  switch (claim.kind) {
    case "claimed":
      request.idempotencyKey = `${cipher.keyHash.toString("hex")}/${claim.claimedAt.getTime()}`;
      request.idempotencyLease = {
        responses,
        key,
        holder: claim.holder,
        isTakenOver: claim.isTakenOver,
        isStored: false,
        cipher,
        renewal: startRenewal(responses, key, claim.holder),
      };
      return execute();
    case "stored": {
      const body = await cipher.open(claim.encryptedBody);
      reply.code(claim.status).header(REPLAYED, "true");
      if (body !== "") reply.header("content-type", "application/json; charset=utf-8");
      return body;
    }
    case "in_flight":
      throw inFlight(claim.retryAfterSeconds);
    case "reused":
      throw new Refusal(
        "idempotency_key_reused",
        "This Idempotency-Key was already used with a different request.",
      );
    case "full":
      throw new Refusal(
        "rate_limited",
        "The account has reached its maximum of Idempotency-Keys. A key expires 24 hours after its first request.",
        { retryAfterSeconds: claim.retryAfterSeconds },
      );
  }
}

function inFlight(retryAfterSeconds: number): Refusal {
  const detail = "The first request with this Idempotency-Key is still in progress.";
  return new Refusal("idempotency_in_flight", detail, { retryAfterSeconds });
}

/**
 * Stores the response inside the transaction that has the request's effect: either both are committed or neither.
 * Without an Idempotency-Key it does nothing.
 *
 * Refuses when the key was taken over meanwhile (this process was suspended beyond its lease): the transaction is rolled
 * back, and the effect is left to the request that holds the key now.
 */
export function storeResponse<Created>(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, present = (created) => created }: { status: number; present?: (created: Created) => unknown },
): BeforeCommit<Created> {
  return async (tx, created) => {
    const lease = request.idempotencyLease;
    if (!lease) return;
    const { responses, key, holder, cipher } = lease;
    const encryptedBody = await cipher.seal(String(reply.code(status).serialize(present(created))));
    if (!(await responses.store(key, holder, { status, encryptedBody }, { tx }))) throw inFlight(1);
    lease.isStored = true;
  };
}

/** Until the response is sent, however long that takes. A failed renewal is covered by the next one. */
function startRenewal(responses: IdempotentResponses, key: ResponseKey, holder: string): NodeJS.Timeout {
  return setInterval(() => void responses.renew(key, holder).catch(() => {}), RENEW_EVERY_MS);
}

/** For a route that implements idempotency itself: identifies the request across repetitions. */
export function requestName(request: FastifyRequest): string | undefined {
  const idempotencyKey = idempotencyKeyOf(request);
  if (idempotencyKey === undefined) return undefined;
  return cipherFor(request.caller!, idempotencyKey).keyHash.toString("hex");
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const value = headers[HEADERS.idempotencyKey];
  if (value === undefined || (typeof value === "string" && KEY.test(value))) return value;
  throw new Refusal("validation_failed", "Idempotency-Key must be 1 to 255 visible ASCII characters.");
}

/** Responses of test and live mode are separate, even under the same Idempotency-Key. */
function cipherFor({ accountId, isTest }: Caller, idempotencyKey: string): ResponseCipher {
  return responseCipherFor(`${accountId}/${isTest ? "test" : "live"}`, idempotencyKey);
}

function fingerprintParts({ method, url, body }: FastifyRequest): string[] {
  return [method, url, body === undefined ? "" : JSON.stringify(body)];
}

/** Decides once; what it writes is repeated in the background while the database is away. */
async function settle(
  lease: Lease,
  { ledger, repeatedWrites, log }: Omit<IdempotencyDeps, "idempotentResponses">,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<Outcome | undefined> {
  let write: (() => Promise<Outcome>) | undefined;
  try {
    write = await decide(lease, ledger, request, reply, payload);
    return await write();
  } catch (error) {
    // The effect is committed and the response correct. A retry finds the key in flight, then repeats without a charge.
    log.event("idempotent_response_not_stored", { err: error, request_id: request.id });
    if (write) void repeatedWrites.write(write);
    return undefined;
  }
}

type Outcome = "stored" | "lost" | "released";

async function decide(
  { responses, key, holder, isTakenOver, isStored, cipher }: Lease,
  { refundWithin }: Pick<Ledger, "refundWithin">,
  { isRefused, charge, socket }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<() => Promise<Outcome>> {
  const { statusCode: status } = reply;
  const isSuccess = status >= 200 && status < 300 && !isRefused;
  if (isSuccess && isStored) return async () => "stored";
  const refunding = (what: "all" | "returned") =>
    charge && charge.amountOf(what) > 0 ? (tx: Orm) => refundWithin(tx, charge, what) : undefined;
  const encryptedBody = isSuccess ? await sealIfStorable(reply, payload, cipher) : undefined;
  if (encryptedBody) {
    const alongside = refunding("returned");
    const response = { status, encryptedBody };
    return async () =>
      (await responses.store(key, holder, response, alongside && { alongside })) ? "stored" : "lost";
  }
  // After a takeover the previous holder may have executed the request, even if this one was refused.
  const hasNoEffect = status < 500 && !isTakenOver;
  const isCharged = charge !== undefined && charge.amount > 0;
  if (isSuccess || hasNoEffect || isCharged) {
    const alongside = refunding(isSuccess && socket.writable ? "returned" : "all");
    return async () => ((await responses.release(key, holder, alongside)) ? "released" : "lost");
  }
  return async () => {
    await responses.abandon(key, holder);
    return "released";
  };
}

/** A cookie belongs to one browser, so such a response is not stored; nor is a stream, nor one that is too long. */
async function sealIfStorable(
  reply: FastifyReply,
  payload: unknown,
  cipher: ResponseCipher,
): Promise<Buffer | undefined> {
  const body = payload ?? "";
  if (typeof body !== "string" || reply.hasHeader("set-cookie")) return undefined;
  const sealed = await cipher.seal(body);
  return sealed.length > MAX_STORED_BYTES ? undefined : sealed;
}
