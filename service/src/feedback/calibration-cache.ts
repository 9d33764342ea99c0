/**
 * What an account's own outcomes have taught: how to read its scores, and what became of messages to single mailboxes.
 *
 * Nobody else's outcomes are in it: what a stranger reports moves no one's scores but the stranger's. It is looked up
 * once in a while for each account; whoever reports outcomes makes every process forget it.
 */
import type { DeliveryOutcome } from "@mailvet/contract";
import { type Calibration, type CalibrationCell, calibrationFrom, type KnownOutcome } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { PubSub } from "../db/pubsub.ts";
import { addressHash } from "./address-hash.ts";
import { OUTCOMES_CHANGED } from "./outcome-store.ts";

export type CalibrationCache = {
  /** Undefined: the account never told anything. At once, if it was looked up lately. */
  lessonOf(accountId: string): Promise<AccountCalibration | undefined> | AccountCalibration | undefined;
};

export type AccountCalibration = {
  /** Undefined when no outcome met a verdict. */
  calibration: Calibration | undefined;
  /** Normalised address → what became of the last message to it. */
  outcomesOf(addresses: readonly string[]): Promise<ReadonlyMap<string, KnownOutcome>>;
};

const MAX_ACCOUNTS = 5_000;
/** When notices are lost, this is how long it may be out of date. */
const BELIEVED_MS = 30_000;

/** In the place of a lesson, where there is none. */
const NOTHING = "nothing";
type Looked = AccountCalibration | typeof NOTHING;

export function createCalibrationCache({
  pool,
  notices,
}: {
  pool: pg.Pool;
  notices: Pick<PubSub, "on">;
}): CalibrationCache {
  const looked = new LRUCache<string, Looked | Promise<AccountCalibration | undefined>>({
    max: MAX_ACCOUNTS,
    ttl: BELIEVED_MS,
  });
  notices.on(OUTCOMES_CHANGED, (accountId) => looked.delete(accountId));

  const look = (accountId: string): Promise<AccountCalibration | undefined> => {
    // What was forgotten while it was looked up may be out of date already, and is not kept.
    const isStillWanted = () => looked.peek(accountId) === looking;
    const looking: Promise<AccountCalibration | undefined> = load(pool, accountId).then(
      (lesson) => {
        if (isStillWanted()) looked.set(accountId, lesson ?? NOTHING);
        return lesson;
      },
      (error) => {
        if (isStillWanted()) looked.delete(accountId);
        throw error;
      },
    );
    looked.set(accountId, looking);
    return looking;
  };

  return {
    lessonOf(accountId) {
      const known = looked.get(accountId) ?? look(accountId);
      return known === NOTHING ? undefined : known;
    },
  };
}

async function load(pool: pg.Pool, accountId: string): Promise<AccountCalibration | undefined> {
  const { rows } = await pool.query<{ has_outcomes: boolean; cells: CalibrationCell[] | null }>({
    name: "load_lesson",
    text: LOAD,
    values: [accountId],
  });
  const { has_outcomes: hasOutcomes, cells } = rows[0]!;
  if (!hasOutcomes && !cells) return undefined;
  const calibration = calibrationFrom(cells ?? []);
  return {
    calibration: calibration.outcomes > 0 ? calibration : undefined,
    outcomesOf: async (addresses) =>
      hasOutcomes && addresses.length > 0 ? recall(pool, accountId, addresses) : new Map(),
  };
}

const LOAD = `
  select exists (select from outcomes where account_id = $1) as has_outcomes,
    (select json_agg(json_build_object('provider', provider, 'band', band, 'outcomes', outcomes,
       'bounced', bounced, 'predicted', predicted))
     from calibration_cells where account_id = $1) as cells`;

type Row = { hash: string; outcome: DeliveryOutcome; reported_at: Date };

async function recall(pool: pg.Pool, accountId: string, addresses: readonly string[]) {
  const byHash = new Map(addresses.map((address) => [addressHash(accountId, address), address]));
  const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, "hex"));
  const { rows } = await pool.query<Row>({
    name: "recall_outcomes",
    text: RECALL,
    values: [accountId, hashes],
  });
  return new Map(
    rows.map(({ hash, outcome, reported_at }) => [
      byHash.get(hash)!,
      { outcome, reportedAtMs: reported_at.getTime() },
    ]),
  );
}

const RECALL = `
  select encode(address_hash, 'hex') as hash, outcome, reported_at
  from outcomes where account_id = $1 and address_hash = any($2::bytea[])`;
