/**
 * Honours Idempotency-Key on every POST of a known caller: the same request is done once, and answered the same for
 * 24 hours.
 *
 * Only answers that say it was done are kept. A refusal frees the key; after a failure of ours, or an answer too long to
 * keep, only the same request may use it again, and `onceKey` sees to it that this one neither pays nor grants twice.
 *
 * What has no ledger entry is not protected by that: if the process dies after an API key was made and before the answer
 * was kept, the retry makes a second one. Nobody knows the secret of the first, and it can be revoked.
 */
import { HEADERS } from "@mailvet/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../caller.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../refusal.ts";
import { type IdempotentAnswers, RENEW_EVERY_MS, type RowName } from "./idempotent-answers.ts";
import { type Seal, sealFor } from "./sealed-answer.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set while this request works under an Idempotency-Key. */
    idempotencyHold:
      | { row: RowName; holder: string; isTakenOver: boolean; seal: Seal; renewal: NodeJS.Timeout }
      | undefined;
  }
}

/** Says that an answer was given before. */
export const REPLAYED = "idempotency-replayed";
/** Compressed and sealed. */
const MAX_KEPT_BYTES = 256 * 1024;
const KEY = /^[\x21-\x7e]{1,255}$/;

export function honourIdempotencyKeys(app: FastifyInstance, answers: IdempotentAnswers, log: Log): void {
  app.decorateRequest("onceKey", undefined);
  app.decorateRequest("idempotencyHold", undefined);

  // After the body was checked: a request that makes no sense takes no key.
  app.addHook("preHandler", (request, reply, done) => {
    const key = keyOf(request);
    if (key === undefined || !request.caller) return done(); // most requests: not even a promise is made for them
    return begin(answers, request.caller, key, request, reply);
  });

  // Before the answer leaves, so that whoever has it can rely on it being kept.
  app.addHook("onSend", (request, reply, payload, done) => {
    const hold = request.idempotencyHold;
    if (!hold) return done(null, payload);
    request.idempotencyHold = undefined;
    clearInterval(hold.renewal);
    settle(answers, hold, reply, payload)
      // The work is done and the answer is right. A retry finds the key held, then does it again without paying.
      .catch((error) =>
        log.write.error({ err: error, request_id: request.id }, "an idempotent answer was not kept"),
      )
      .finally(() => done(null, payload));
  });
}

async function begin(
  answers: IdempotentAnswers,
  caller: Caller,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const seal = sealOf(caller, key);
  const row = { accountId: caller.accountId, keyHash: seal.keyHash };
  const claim = await answers.claim(row, seal.fingerprint(partsOf(request)));
  switch (claim.kind) {
    case "held":
      request.onceKey = `${seal.keyHash.toString("hex")}/${claim.heldSince.getTime()}`;
      request.idempotencyHold = {
        row,
        holder: claim.holder,
        isTakenOver: claim.isTakenOver,
        seal,
        renewal: keepHolding(answers, row, claim.holder),
      };
      return;
    case "answered": {
      const body = await seal.open(claim.sealedBody);
      reply.code(claim.status).header(REPLAYED, "true");
      if (body !== "") reply.header("content-type", "application/json; charset=utf-8");
      return reply.send(body); // returned, so that the route is not reached: a reply is a promise of being sent
    }
    case "in_flight":
      throw new Refusal(
        "idempotency_in_flight",
        "The first request with this Idempotency-Key is still under way.",
        {
          retryAfterSeconds: claim.retryAfterSeconds,
        },
      );
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

/** Until the request is answered, however long that takes. One renewal that fails is made up for by the next. */
function keepHolding(answers: IdempotentAnswers, row: RowName, holder: string): NodeJS.Timeout {
  return setInterval(() => void answers.renew(row, holder).catch(() => {}), RENEW_EVERY_MS);
}

/** For a route that honours the key by itself: names the caller's request for good. */
export function requestName(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request);
  return key === undefined ? undefined : sealOf(request.caller!, key).keyHash.toString("hex");
}

function keyOf(request: FastifyRequest): string | undefined {
  const { idempotency = true } = request.routeOptions.config;
  return request.method === "POST" && idempotency === true ? idempotencyKeyOf(request) : undefined;
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers[HEADERS.idempotencyKey];
  if (key === undefined || (typeof key === "string" && KEY.test(key))) return key;
  throw new Refusal("validation_failed", "Idempotency-Key must be 1 to 255 visible ASCII characters.");
}

/** A test key's answers are not those of a live one, even under the same name. */
function sealOf({ accountId, by }: Caller, key: string): Seal {
  return sealFor(`${accountId}/${by.kind === "key" && by.isTest ? "test" : "live"}`, key);
}

function partsOf({ method, url, body }: FastifyRequest): string[] {
  return [method, url, body === undefined ? "" : JSON.stringify(body)];
}

type Hold = NonNullable<FastifyRequest["idempotencyHold"]>;

async function settle(
  answers: IdempotentAnswers,
  { row, holder, isTakenOver, seal }: Hold,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const { statusCode: status } = reply;
  const isDone = status >= 200 && status < 300;
  // Whoever had the key before may have done it, whatever this one was told.
  if (!isDone && status < 500 && !isTakenOver) return answers.release(row, holder);
  const sealed = isDone ? await sealable(reply, payload, seal) : undefined;
  if (sealed) await answers.keep(row, holder, status, sealed);
  else await answers.abandon(row, holder);
}

/** A cookie belongs to the browser that asked; what is not text (a stream) is not kept, nor is what is too long. */
async function sealable(reply: FastifyReply, payload: unknown, seal: Seal): Promise<Buffer | undefined> {
  const body = payload ?? "";
  if (typeof body !== "string" || reply.hasHeader("set-cookie")) return undefined;
  const sealed = await seal.seal(body);
  return sealed.length > MAX_KEPT_BYTES ? undefined : sealed;
}
