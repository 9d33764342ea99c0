/**
 * Clients that check one address after another, with and without an Idempotency-Key, and disconnect at random; and the
 * final audit of the ledger.
 */
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";

export type SingleChecks = {
  /** Sends no new requests. Unanswered requests with a key are repeated until answered. */
  finish(): Promise<void>;
  /** Throws when charges and answers do not agree. Call it when nothing is in flight. */
  audit(ledger: pg.Client, apiKills: number): Promise<Audit>;
};

export type Audit = {
  sent: number;
  cut: number;
  /** Answers by HTTP status, without those to cut connections. */
  statuses: ReadonlyMap<number, number>;
  /** Without a key: verdicts that a client read, and charges that stand. */
  answered: number;
  charged: number;
  /** Of these, charges whose client disconnected while or after the answer was written, or whose process was killed. */
  chargedAndCut: number;
  /** Without a key: charges that stand though they should have been refunded, as their process was killed before. */
  unanswered: number;
  /** Verdicts that are the service's own fault, with and without a key: none of their charges stands. */
  ownFault: number;
  /** With a key, without own faults: requests, and charges that stand. */
  withKey: number;
  withKeyCharged: number;
  refunds: number;
};

export type SingleCheckOptions = { urls: readonly string[]; key: string; random: () => number };

const CLIENTS = 6;
const NO_ANSWER_AFTER_MS = 20_000;
const HANG_UPS = ["after sending", "at the first byte", "never", "never", "never", "never"] as const;
type HangUp = (typeof HANG_UPS)[number];

export function startSingleChecks({ urls, key, random }: SingleCheckOptions): SingleChecks {
  const answered = new Set<string>();
  /** Of these, verdicts that are the service's own fault. */
  const ownFault = new Set<string>();
  const failed = new Set<string>();
  const statuses = new Map<number, number>();
  const keys = new Set<string>();
  const unanswered = new Set<string>();
  let sent = 0;
  let cut = 0;
  let isOver = false;

  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

  async function check(idempotencyKey: string | undefined, hangUp: HangUp): Promise<boolean> {
    sent++;
    const isOwnFault = hasOwnFault(idempotencyKey ?? String(sent));
    const email = `${isOwnFault ? "egress-blocked" : "valid"}+${idempotencyKey ?? sent}@mailvet.test`;
    const headers = { "x-api-key": key, ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}) };
    const answer = await post(pick(urls), headers, JSON.stringify({ email }), hangUp);
    if (!answer) {
      if (!idempotencyKey) cut++;
      return false;
    }
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (!idempotencyKey) (answer.status === 200 ? answered : failed).add(answer.requestId);
    if (!idempotencyKey && isOwnFault && answer.status === 200) ownFault.add(answer.requestId);
    return answer.status === 200;
  }

  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      const idempotencyKey = random() < 0.5 ? randomUUID() : undefined;
      if (idempotencyKey) keys.add(idempotencyKey);
      const isAnswered = await check(idempotencyKey, pick(HANG_UPS));
      if (idempotencyKey && !isAnswered) unanswered.add(idempotencyKey);
      await delay(isAnswered ? 5 : 50);
    }
  });

  return {
    async finish() {
      isOver = true;
      await Promise.all(clients);
      for (const idempotencyKey of unanswered) {
        while (!(await check(idempotencyKey, "never"))) await delay(200);
      }
    },

    async audit(ledger, apiKills) {
      const { rows } = await ledger.query<RequestCharge>(CHARGES);
      const wrong = rows.filter(
        ({ charged, refunded }) => charged > 1 || refunded > charged || charged < 0 || refunded < 0,
      );
      if (wrong.length > 0)
        throw new Error(`charged or refunded twice: ${JSON.stringify(wrong.slice(0, 5))}`);
      const standing = rows.filter(({ charged, refunded }) => charged > refunded);
      const charged = new Set(standing.filter(({ keyed }) => !keyed).map(({ reference }) => reference));
      const withKeyCharged = standing.length - charged.size;
      const chargedAndFailed = [...failed].filter((id) => charged.has(id));
      const ownFaultCharged = [...ownFault].filter((id) => charged.has(id));
      const chargedAndCut = [...charged].filter((id) => !answered.has(id) && !failed.has(id)).length;
      const notCharged = [...answered].filter((id) => !ownFault.has(id) && !charged.has(id));
      const keysToCharge = [...keys].filter((key) => !hasOwnFault(key)).length;
      const unanswered = chargedAndFailed.length + ownFaultCharged.length + Math.max(0, chargedAndCut - cut);
      const audit = {
        sent,
        cut,
        statuses,
        answered: answered.size,
        charged: charged.size,
        chargedAndCut,
        unanswered,
        ownFault: ownFault.size + keys.size - keysToCharge,
        withKey: keysToCharge,
        withKeyCharged,
        refunds: rows.length - standing.length,
      };
      if (notCharged.length > 0)
        throw new Error(`answered and not charged: ${notCharged.slice(0, 5).join(", ")}`);
      if (withKeyCharged !== keysToCharge)
        throw new Error(`a key is not charged once: ${JSON.stringify(audit)}`);
      if (unanswered > apiKills * CLIENTS)
        throw new Error(`charged without an answer, and without a kill: ${JSON.stringify(audit)}`);
      return audit;
    },
  };
}

/** One request in ten, by the last digit of its number or key. */
function hasOwnFault(name: string): boolean {
  return name.endsWith("7");
}

type RequestCharge = { reference: string; charged: number; refunded: number; keyed: boolean };

/** Credits under each key of the ledger: charged, refunded for whatever reason, and whether it is an Idempotency-Key. */
const CHARGES = `
select min(reference) as reference,
  coalesce(sum(-amount - reserved_change) filter (where kind = 'settle'), 0)::int as charged,
  coalesce(sum(amount) filter (where kind = 'refund'), 0)::int as refunded,
  bool_or(key <> reference) as keyed
from ledger where kind in ('settle', 'refund') and subject = 'check' group by key`;

type ReceivedAnswer = { status: number; requestId: string };

/** Undefined when there was no complete answer. */
function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  hangUp: HangUp,
): Promise<ReceivedAnswer | undefined> {
  const head = Object.entries({
    host: "localhost",
    connection: "close",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      socket.write(`POST /api/v1/validation/single HTTP/1.1\r\n${head.join("")}\r\n${body}`, () => {
        if (hangUp === "after sending") socket.destroy();
      });
    });
    socket.setTimeout(NO_ANSWER_AFTER_MS, () => socket.destroy());
    socket.setEncoding("utf8").on("data", (chunk) => {
      received += chunk;
      if (hangUp === "at the first byte") socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      const [top = "", text] = received.split("\r\n\r\n", 2);
      const length = Number(/^content-length: (\d+)/im.exec(top)?.[1] ?? Number.NaN);
      const requestId = /^x-request-id: (\S+)/im.exec(top)?.[1];
      if (text === undefined || requestId === undefined || Buffer.byteLength(text) < length)
        return resolve(undefined);
      resolve({ status: Number(top.split(" ")[1]), requestId });
    });
  });
}
