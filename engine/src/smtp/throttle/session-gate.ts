/**
 * Admits the sessions of an egress identity one by one: counts them, and refuses those beyond its daily cap. Days are
 * those of UTC.
 *
 * `LocalSessionGate` counts the sessions of one process since its start. A deployment supplies gates that count in its
 * database, and that refuse an identity owned by another process (service/src/pacing/). Slots and delays at a mail host
 * are in host-limiter.ts.
 */
import type { EgressIdentity } from "../../egress/identity.ts";

/** Why an identity may not open a session now, and for how long. */
export type GateRefusal = { reason: "daily_cap" | "not_owned" | "not_counted"; retryAfterSeconds: number };

export type SessionGate = {
  /** Known without asking. */
  readonly refusal: GateRefusal | undefined;
  /** Counts a session; resolves to a refusal where it must not start. */
  admit(): Promise<GateRefusal | undefined>;
};

export type SessionGateFor = (identity: EgressIdentity) => SessionGate;

const DAY_MS = 24 * 3600 * 1000;

export class LocalSessionGate implements SessionGate {
  readonly #perDay: number;
  readonly #now: () => number;
  #day = 0;
  #sessions = 0;

  constructor({ sessionsPerDay = Number.POSITIVE_INFINITY }: EgressIdentity, now: () => number = Date.now) {
    this.#perDay = sessionsPerDay;
    this.#now = now;
  }

  /** Sessions of today. */
  get sessions(): number {
    return Math.floor(this.#now() / DAY_MS) === this.#day ? this.#sessions : 0;
  }

  get refusal(): GateRefusal | undefined {
    return this.sessions < this.#perDay ? undefined : dailyCapRefusal(this.#now());
  }

  async admit(): Promise<GateRefusal | undefined> {
    const { refusal, sessions } = this;
    if (refusal) return refusal;
    this.#day = Math.floor(this.#now() / DAY_MS);
    this.#sessions = sessions + 1;
    return undefined;
  }
}

/** Until the next day. */
function dailyCapRefusal(nowMs: number): GateRefusal {
  return { reason: "daily_cap", retryAfterSeconds: Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000) };
}

/** Keeps the last refusal for as long as it named, so that no one asks meanwhile. */
export class RememberedRefusal {
  #refusal: GateRefusal | undefined;
  #untilMs = 0;

  get current(): GateRefusal | undefined {
    const leftMs = this.#untilMs - performance.now();
    return this.#refusal && leftMs > 0
      ? { ...this.#refusal, retryAfterSeconds: Math.ceil(leftMs / 1000) }
      : undefined;
  }

  set current(refusal: GateRefusal | undefined) {
    this.#refusal = refusal;
    this.#untilMs = performance.now() + (refusal?.retryAfterSeconds ?? 0) * 1000;
  }
}
