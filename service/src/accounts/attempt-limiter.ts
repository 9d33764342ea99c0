/**
 * Limits attempts per time window, across all processes. Where a limit grows, a window that was used up doubles the next one.
 *
 * An attempt is counted before it is processed, so a thousand at once get no further than a thousand in a row. Subjects are
 * stored as hashes: the table does not reveal who tried to sign in.
 */
import { createHash } from "node:crypto";
import { lte } from "drizzle-orm";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../db/database.ts";
import { attempts } from "./schema.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const LIMITS = {
  // Guessing the password of one account from one network, or from one browser that has signed in to it before.
  sign_in_from_one_network: { tries: 5, windowMs: 5 * MINUTE_MS, longestMs: 4 * HOUR_MS },
  sign_in_from_one_device: { tries: 5, windowMs: 5 * MINUTE_MS, longestMs: 4 * HOUR_MS },
  // From all networks and browsers together that have not signed in to it before.
  sign_in_to_one_account: { tries: 30, windowMs: 5 * MINUTE_MS },
  // Trying one password on many accounts.
  sign_in_by_one_network: { tries: 50, windowMs: 15 * MINUTE_MS },
  // Guessing the code of one account, with its password, from all networks and browsers that have not signed in to it before.
  codes_of_one_account: { tries: 5, windowMs: 15 * MINUTE_MS, longestMs: 24 * HOUR_MS },
  // Challenges are stored, for five minutes each.
  passkey_challenge: { tries: 100, windowMs: 15 * MINUTE_MS },
  // Guessing the current password, or a code, in an unattended browser.
  change_password: { tries: 10, windowMs: 15 * MINUTE_MS, longestMs: 24 * HOUR_MS },
  // Many wrong passwords for one account, from all networks: its owner is told.
  wrong_passwords: { tries: 20, windowMs: 24 * HOUR_MS },
  // Wrong codes after a right password: its owner is told.
  wrong_codes: { tries: 3, windowMs: 24 * HOUR_MS },
  sign_up: { tries: 30, windowMs: HOUR_MS },
  reset_password: { tries: 10, windowMs: HOUR_MS },
  // Emails to one mailbox, from all networks.
  mail_to_one_address: { tries: 5, windowMs: HOUR_MS },
} as const satisfies Record<string, Limit>;

type Limit = {
  tries: number;
  windowMs: number;
  /** The limit grows: each window that was used up doubles the next, up to this length. */
  longestMs?: number;
};

/** A limit that has grown starts over this long after its last window. */
const GROWTH_ENDS_AFTER_MS = 24 * HOUR_MS;

export type AttemptKind = { what: keyof typeof LIMITS; by: readonly string[] };

export type AttemptLimiter = {
  /** Counts one attempt of each and refuses over the limit. */
  take(...tried: AttemptKind[]): Promise<void>;
  /** Counts one attempt; false over the limit. */
  allows(tried: AttemptKind): Promise<boolean>;
  /** Counts one attempt; true for the one that uses up the window. */
  usesUp(tried: AttemptKind): Promise<boolean>;
  /** The attempt was legitimate: subtracts it, or starts over. */
  forgive(extent: "one" | "all", ...tried: AttemptKind[]): Promise<void>;
  deleteExpired(): Promise<void>;
};

const MAX_COUNTED = 1_000_000;
const MAX_DOUBLINGS = 20;

type Counted = { subject: string; count: number; window_ends_at: Date };

// In the order of subjects, so that concurrent statements cannot deadlock.
const COUNT = {
  name: "attempts_count_growing",
  text: `
    with tried as (
      select * from unnest($1::text[], $2::int[], $4::bigint[], $5::bigint[]) as tried (subject, tries, window_ms, longest_ms)
    )
    insert into attempts (subject, count, window_ends_at)
    select subject, 1, $3::timestamptz + window_ms * interval '1 ms' from tried order by subject
    on conflict (subject) do update set (count, used_up, window_ends_at) = (
      select
        case when has_ended then 1 else least(attempts.count + 1, ${MAX_COUNTED}) end,
        case when has_ended then doublings else attempts.used_up end,
        case when has_ended
          then $3::timestamptz + least(window_ms * 2 ^ doublings, longest_ms) * interval '1 ms'
          else attempts.window_ends_at end
      from tried,
        lateral (select attempts.window_ends_at <= $3 as has_ended) as ended,
        lateral (select case when attempts.count >= tries and attempts.window_ends_at > $6
          then least(attempts.used_up + 1, ${MAX_DOUBLINGS}) else 0 end as doublings) as growth
      where tried.subject = attempts.subject
    )
    returning subject, count, window_ends_at`,
};

const IN_ORDER =
  "with forgiven as (select subject from attempts where subject = any($1) order by subject for update)";

const FORGIVE = {
  one: {
    name: "attempts_forgive_one",
    text: `${IN_ORDER}
      update attempts set count = greatest(count - 1, 0) from forgiven where attempts.subject = forgiven.subject`,
  },
  all: {
    name: "attempts_forgive_all",
    text: `${IN_ORDER} delete from attempts using forgiven where attempts.subject = forgiven.subject`,
  },
};

export function createAttemptLimiter({
  database,
  now,
}: {
  database: Database;
  now: () => Date;
}): AttemptLimiter {
  const count = async (tried: readonly AttemptKind[]) => {
    const at = now();
    const bySubject = new Map(tried.map((one): [string, Limit] => [subjectOf(one), LIMITS[one.what]]));
    const limits = [...bySubject.values()];
    const { rows } = await database.pool.query<Counted>({
      ...COUNT,
      values: [
        [...bySubject.keys()],
        limits.map(({ tries }) => tries),
        at,
        limits.map(({ windowMs }) => windowMs),
        limits.map(({ windowMs, longestMs = windowMs }) => longestMs),
        growthEndsBefore(at),
      ],
    });
    return rows.map((row) => ({ ...row, tries: bySubject.get(row.subject)!.tries }));
  };
  const growthEndsBefore = (at: Date) => new Date(at.getTime() - GROWTH_ENDS_AFTER_MS);
  return {
    async take(...tried) {
      const exceeded = (await count(tried)).filter((row) => row.count > row.tries);
      if (exceeded.length === 0) return;
      const until = Math.max(...exceeded.map((row) => row.window_ends_at.getTime()));
      const retryAfterSeconds = Math.max(1, Math.ceil((until - now().getTime()) / 1000));
      throw new Refusal("rate_limited", "Too many attempts. Try again later.", {
        retryAfterSeconds,
      });
    },
    async allows(tried) {
      return (await count([tried])).every((row) => row.count <= row.tries);
    },
    async usesUp(tried) {
      return (await count([tried])).some((row) => row.count === row.tries);
    },
    async forgive(extent, ...tried) {
      await database.pool.query({ ...FORGIVE[extent], values: [tried.map(subjectOf)] });
    },
    async deleteExpired() {
      await database.orm.delete(attempts).where(lte(attempts.windowEndsAt, growthEndsBefore(now())));
    },
  };
}

function subjectOf({ what, by }: AttemptKind): string {
  return `${what}:${createHash("sha256").update(JSON.stringify(by)).digest("base64url")}`;
}
