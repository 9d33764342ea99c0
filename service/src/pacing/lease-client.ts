/**
 * Where the paces of this process ask for places in the deployment and give them back. What comes up in one moment goes
 * into one statement; whoever gets nothing stays on the list and is asked for again.
 *
 * Without the database there are no new places, and what was given back is given back later.
 */

import type { LogEvent } from "../log-events.ts";
import { createRounds } from "./batch-rounds.ts";
import type { Demand, HostLease, PlaceAnswer, PlaceRequest, PlaceStatements } from "./lease-sql.ts";

/** Somebody who may want places at one host or provider. */
export type Applicant = {
  readonly key: string;
  /** What it wants now, undefined for nothing. */
  request(): PlaceRequest | undefined;
  receive(answer: PlaceAnswer, askedAtMs: number): void;
};

export type PlaceDesk = {
  /** Asks for what it wants, and again until it wants nothing any more. With `isDue` without delay. */
  apply(applicant: Applicant, isDue: boolean): void;
  giveBack(place: HostLease): void;
  /** We no longer wait there. */
  unwish(key: string): void;
  /** What we believe of our places may be wrong. */
  doubt(): void;
  /** Gives everything back. */
  close(): Promise<void>;
};

export type PlaceDeskDeps = {
  statements: PlaceStatements;
  /** What other processes wished for when we asked, at a place where we are. */
  onDemand(key: string, demand: Demand, askedAtMs: number): void;
  /** Somebody else has got a place that we took for ours. */
  onLost(place: HostLease): void;
  log: LogEvent;
};

const MOST_PER_STATEMENT = 200;
/** A notice tells us when it is our turn; these are for when it was lost, or the one before us died. */
const URGENT_LOOK_MS = 250;
const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 1000;
/** However long the rest: a wish has to be renewed. */
const LONGEST_REST_BELIEVED_MS = 2000;
const AUDIT_EVERY_MS = 10_000;

type Look = { atMs: number; pauseMs: number };

export function createPlaceDesk({ statements, onDemand, onLost, log }: PlaceDeskDeps): PlaceDesk {
  const looks = new Map<Applicant, Look>();
  const places = new Map<string, HostLease>();
  let leaving: HostLease[] = [];
  const unwished = new Set<string>();
  let auditAtMs = performance.now() + AUDIT_EVERY_MS;

  const round = async (): Promise<number | undefined> => {
    try {
      if (performance.now() >= auditAtMs) await audit();
      await giveBackAll();
      await askForAll();
    } catch (error) {
      auditAtMs = 0; // it may have happened or not
      throw error;
    }
    return nextInMs();
  };

  const audit = async () => {
    const believed = [...places.values()];
    const askedAtMs = performance.now();
    const { demands, lost } = await statements.audit(believed);
    auditAtMs = performance.now() + AUDIT_EVERY_MS;
    for (const place of lost) {
      places.delete(nameOf(place));
      onLost(place);
    }
    for (const key of new Set(believed.map((place) => place.key)))
      onDemand(key, demands.get(key) ?? "none", askedAtMs);
  };

  const giveBackAll = async () => {
    while (leaving.length > 0 || unwished.size > 0) {
      const given = leaving.slice(0, MOST_PER_STATEMENT);
      const keys = [...unwished].slice(0, MOST_PER_STATEMENT);
      const askedAtMs = performance.now();
      const demands = await statements.giveBack(given, keys);
      leaving = leaving.slice(given.length);
      for (const key of keys) unwished.delete(key);
      for (const place of given) places.delete(nameOf(place));
      for (const { key } of given) onDemand(key, demands.get(key) ?? "none", askedAtMs);
    }
  };

  const askForAll = async () => {
    const asking = dueNow();
    if (asking.length === 0) return;
    const askedAtMs = performance.now();
    const answers = await statements.ask(asking.map(({ request }) => request));
    for (const [i, { applicant, look, request }] of asking.entries()) {
      const { key } = applicant;
      const answer = answers[i]!;
      for (const number of answer.numbers) places.set(nameOf({ key, number }), { key, number });
      applicant.receive(answer, askedAtMs);
      // Unless it has become due again meanwhile.
      if (looks.get(applicant) === look) lookAgain(applicant, look, request.wanted, answer);
    }
  };

  /** Whoever is due, those first for whom somebody waits in person. */
  const dueNow = () => {
    const nowMs = performance.now();
    const due: { applicant: Applicant; look: Look; request: PlaceRequest }[] = [];
    const keys = new Set<string>(); // each once in a statement
    for (const [applicant, look] of looks) {
      if (look.atMs > nowMs || keys.has(applicant.key)) continue;
      const request = applicant.request();
      if (!request) {
        looks.delete(applicant);
        continue;
      }
      due.push({ applicant, look, request });
      keys.add(applicant.key);
    }
    return [
      ...due.filter((one) => one.request.isUrgent),
      ...due.filter((one) => !one.request.isUrgent),
    ].slice(0, MOST_PER_STATEMENT);
  };

  const lookAgain = (applicant: Applicant, look: Look, asked: number, answer: PlaceAnswer) => {
    const request = applicant.request();
    if (!request) {
      looks.delete(applicant);
      return;
    }
    const { numbers, restLeftMs } = answer;
    const inMs = [
      [restLeftMs > 0, Math.min(restLeftMs, LONGEST_REST_BELIEVED_MS)],
      [numbers.length >= asked, 0], // more have come meanwhile
      [request.isUrgent, URGENT_LOOK_MS],
      [true, look.pauseMs],
    ] as const;
    looks.set(applicant, {
      atMs: performance.now() + inMs.find(([applies]) => applies)![1],
      pauseMs: numbers.length > 0 ? FIRST_LOOK_MS : Math.min(look.pauseMs * 2, LONGEST_LOOK_MS),
    });
  };

  const nextInMs = (): number | undefined => {
    if (leaving.length > 0 || unwished.size > 0) return 0;
    let atMs = places.size > 0 ? auditAtMs : Number.POSITIVE_INFINITY;
    for (const look of looks.values()) atMs = Math.min(atMs, look.atMs);
    return atMs === Number.POSITIVE_INFINITY ? undefined : Math.max(0, atMs - performance.now());
  };

  const rounds = createRounds({ round, name: "leases", log });
  return {
    apply(applicant, isDue) {
      const look = looks.get(applicant);
      if (look && !isDue) return;
      looks.set(applicant, { atMs: 0, pauseMs: FIRST_LOOK_MS });
      rounds.wake();
    },
    giveBack(place) {
      leaving.push(place);
      rounds.wake();
    },
    unwish(key) {
      unwished.add(key);
      rounds.wake();
    },
    doubt() {
      auditAtMs = 0;
      if (places.size > 0) rounds.wake();
    },
    async close() {
      await rounds.close();
      // When the database is away they go back when we are found to be dead.
      await statements.leave().catch(() => {});
    },
  };
}

const nameOf = ({ key, number }: HostLease) => `${number} ${key}`;
