/**
 * Honours Idempotency-Key on every POST of a known caller: the same request is executed once, and answered the same for
 * 24 hours.
 *
 * The handler of such a route is wrapped: it is called from one place only, after the key was claimed. A replay is
 * answered instead of calling it, so nothing that happens to the connection can lead from a replay into the handler.
 * (A hook that sends the stored answer cannot promise that: Fastify goes on to the handler when the client hangs up
 * before the answer is written.)
 *
 * Only successful answers are stored. A refusal frees the key, and so does an answer too long to store (half a megabyte,
 * compressed): its repetition is a new request, and paid for. After a failure of ours only the same request may use it. Effects outside the ledger store their answer in their own transaction
 * (storeAnswer); charges and grants are keyed in the ledger by `idempotencyKey`. So a process that dies at any moment leaves
 * either no effect, or an effect whose repetition changes nothing.
 */
import { HEADERS } from "@mailvet/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../caller.ts";
import type { BeforeCommit, Orm } from "../../db/database.ts";
import type { Log } from "../../log.ts";
import { Refusal } from "../../refusal.ts";
import { type ResponseCipher, responseCipherFor } from "./encrypted-response.ts";
import { type IdempotentResponses, RENEW_EVERY_MS, type RowName } from "./idempotent-responses.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set while this request works under an Idempotency-Key. */
    idempotencyHold: Hold | undefined;
    /** The answer can be fetched for 24 hours, whatever becomes of this connection. */
    isAnswerStored: boolean;
    /** This process was frozen or cut off for so long that another request has the key: nothing here counts any more. */
    hasLostKey: boolean;
  }
}

type Hold = {
  answers: IdempotentResponses;
  row: RowName;
  holder: string;
  isTakenOver: boolean;
  /** The answer stands in the transaction that has the effect. */
  isStored: boolean;
  seal: ResponseCipher;
  renewal: NodeJS.Timeout;
};

/** Says that an answer was given before. */
export const REPLAYED = "idempotency-replayed";
/** Compressed and sealed. */
const MAX_KEPT_BYTES = 512 * 1024;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The charge of a request stands once its answer is stored: both are written in one transaction. */
export type ConfirmCharge = (tx: Orm, chargeKey: string) => Promise<void>;

export type IdempotencyDeps = { answers: IdempotentResponses; confirmCharge: ConfirmCharge; log: Log };

export function honourIdempotencyKeys(
  app: FastifyInstance,
  { answers, confirmCharge, log }: IdempotencyDeps,
): void {
  app.decorateRequest("idempotencyKey", undefined);
  app.decorateRequest("idempotencyHold", undefined);
  app.decorateRequest("isAnswerStored", false);
  app.decorateRequest("hasLostKey", false);

  app.addHook("onRoute", (route) => {
    const { access = "open", idempotency = true } = route.config ?? {};
    if (route.method !== "POST" || access === "open" || idempotency !== true) return;
    const { handler } = route;
    route.handler = function (request, reply) {
      const key = idempotencyKeyOf(request);
      if (key === undefined) return handler.call(this, request, reply); // most requests: no promise is made for them
      return executeOnce(answers, key, request, reply, () => handler.call(this, request, reply));
    };
  });

  // Before the answer leaves, so that a client that has it can rely on it being stored.
  app.addHook("onSend", (request, reply, payload, done) => {
    const hold = request.idempotencyHold;
    if (!hold) return done(null, payload);
    request.idempotencyHold = undefined;
    clearInterval(hold.renewal);
    const { idempotencyKey, creditsRemaining } = request;
    const confirm = async (tx: Orm) => {
      if (idempotencyKey !== undefined && creditsRemaining !== undefined)
        await confirmCharge(tx, idempotencyKey);
    };
    settle(hold, reply, payload, confirm)
      .then((outcome) => {
        request.isAnswerStored = outcome === "stored";
        request.hasLostKey = outcome === "lost";
      })
      // The work is done and the answer is right. A retry finds the key held, then repeats the work without paying.
      .catch((error) =>
        log.write.error({ err: error, request_id: request.id }, "an idempotent answer was not stored"),
      )
      .finally(() => done(null, payload));
  });
}

/** Calls the handler if this request is the one to execute; otherwise answers from the store, or refuses. */
async function executeOnce(
  answers: IdempotentResponses,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => unknown,
): Promise<unknown> {
  const caller = request.caller!;
  const seal = sealOf(caller, key);
  const row = { accountId: caller.accountId, keyHash: seal.keyHash };
  const claim = await answers.claim(row, seal.fingerprint(partsOf(request)));
  switch (claim.kind) {
    case "held":
      request.idempotencyKey = `${seal.keyHash.toString("hex")}/${claim.heldSince.getTime()}`;
      request.idempotencyHold = {
        answers,
        row,
        holder: claim.holder,
        isTakenOver: claim.isTakenOver,
        isStored: false,
        seal,
        renewal: keepHolding(answers, row, claim.holder),
      };
      return handle();
    case "answered": {
      const body = await seal.open(claim.sealedBody);
      reply.code(claim.status).header(REPLAYED, "true");
      if (body !== "") reply.header("content-type", "application/json; charset=utf-8");
      return body;
    }
    case "in_flight":
      throw inFlight(claim.retryAfterSeconds);
    case "reused":
      throw new Refusal(
        "idempotency_key_reused",
        "This Idempotency-Key came with a different request before.",
      );
    case "full":
      throw new Refusal(
        "rate_limited",
        "Too many Idempotency-Keys of this account are in use. Each is free 24 hours after its first request.",
        { retryAfterSeconds: claim.retryAfterSeconds },
      );
  }
}

function inFlight(retryAfterSeconds: number): Refusal {
  const why = "The first request with this Idempotency-Key is still under way.";
  return new Refusal("idempotency_in_flight", why, { retryAfterSeconds });
}

/**
 * Stores the answer to a request inside the transaction that has its effect: either both happen or neither. Without an
 * Idempotency-Key it does nothing.
 *
 * Refuses when the key was taken over meanwhile (this process was frozen for longer than its lease): the transaction is
 * rolled back then, and the effect is left to the request that has the key now.
 */
export function storeAnswer<Made>(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, present = (made) => made }: { status: number; present?: (made: Made) => unknown },
): BeforeCommit<Made> {
  return async (tx, made) => {
    const hold = request.idempotencyHold;
    if (!hold) return;
    const sealedBody = await hold.seal.seal(String(reply.code(status).serialize(present(made))));
    if (!(await hold.answers.store(hold.row, hold.holder, { status, sealedBody }, { tx }))) throw inFlight(1);
    hold.isStored = true;
  };
}

/** Until the request is answered, however long that takes. One renewal that fails is made up for by the next. */
function keepHolding(answers: IdempotentResponses, row: RowName, holder: string): NodeJS.Timeout {
  return setInterval(() => void answers.renew(row, holder).catch(() => {}), RENEW_EVERY_MS);
}

/** For a route that honours the key by itself: names the caller's request for good. */
export function requestName(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request);
  return key === undefined ? undefined : sealOf(request.caller!, key).keyHash.toString("hex");
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers[HEADERS.idempotencyKey];
  if (key === undefined || (typeof key === "string" && KEY.test(key))) return key;
  throw new Refusal("validation_failed", "Idempotency-Key must be 1 to 255 visible ASCII characters.");
}

/** A test key's answers are not those of a live one, even under the same name. */
function sealOf({ accountId, by }: Caller, key: string): ResponseCipher {
  return responseCipherFor(`${accountId}/${by.kind === "key" && by.isTest ? "test" : "live"}`, key);
}

function partsOf({ method, url, body }: FastifyRequest): string[] {
  return [method, url, body === undefined ? "" : JSON.stringify(body)];
}

async function settle(
  { answers, row, holder, isTakenOver, isStored, seal }: Hold,
  reply: FastifyReply,
  payload: unknown,
  alongside: (tx: Orm) => Promise<void>,
): Promise<"stored" | "lost" | "free"> {
  const { statusCode: status } = reply;
  const isDone = status >= 200 && status < 300;
  if (isDone && isStored) return "stored";
  const sealedBody = isDone ? await sealable(reply, payload, seal) : undefined;
  if (sealedBody) {
    const isStored = await answers.store(row, holder, { status, sealedBody }, { alongside });
    return isStored ? "stored" : "lost";
  }
  // The previous holder of the key may have executed the request, whatever this one was told.
  const isRefused = status < 500 && !isTakenOver;
  if (isDone || isRefused) await answers.release(row, holder);
  else await answers.abandon(row, holder);
  return "free";
}

/** A cookie belongs to the browser that asked; what is not text (a stream) is not kept, nor is what is too long. */
async function sealable(
  reply: FastifyReply,
  payload: unknown,
  seal: ResponseCipher,
): Promise<Buffer | undefined> {
  const body = payload ?? "";
  if (typeof body !== "string" || reply.hasHeader("set-cookie")) return undefined;
  const sealed = await seal.seal(body);
  return sealed.length > MAX_KEPT_BYTES ? undefined : sealed;
}
