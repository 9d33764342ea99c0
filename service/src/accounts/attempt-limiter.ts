/**
 * Limits attempts per time window, across all processes.
 *
 * An attempt is counted before it is processed, so a thousand at once get no further than a thousand in a row. Subjects are
 * stored as hashes: the table does not reveal who tried to sign in.
 */
import { createHash } from "node:crypto";
import { lte } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import { attempts } from "./schema.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const LIMITS = {
  // Guessing the password of one account from one network.
  sign_in_from_one_network: { tries: 5, windowMs: 5 * MINUTE_MS },
  // From all networks together. High and short, so that an attacker cannot lock out the owner.
  sign_in_to_one_account: { tries: 30, windowMs: 5 * MINUTE_MS },
  // Trying one password on many accounts.
  sign_in_by_one_network: { tries: 50, windowMs: 15 * MINUTE_MS },
  // Guessing the current password in an unattended browser.
  change_password: { tries: 10, windowMs: 15 * MINUTE_MS },
  sign_up: { tries: 30, windowMs: HOUR_MS },
  reset_password: { tries: 10, windowMs: HOUR_MS },
  // Emails to one mailbox, from all networks.
  mail_to_one_address: { tries: 5, windowMs: HOUR_MS },
} as const;

export type AttemptKind = { what: keyof typeof LIMITS; by: readonly string[] };

export type AttemptLimiter = {
  /** Counts one attempt of each and refuses over the limit. */
  take(...tried: AttemptKind[]): Promise<void>;
  /** Counts one attempt; false over the limit. */
  allows(tried: AttemptKind): Promise<boolean>;
  /** The attempt was legitimate: subtracts it, or resets the count. */
  forgive(extent: "one" | "all", ...tried: AttemptKind[]): Promise<void>;
  deleteExpired(): Promise<void>;
};

const MAX_COUNTED = 1_000_000;

type Counted = { subject: string; count: number; window_ends_at: Date };

// In the order of subjects, so that concurrent statements cannot deadlock.
const COUNT = {
  name: "attempts_count",
  text: `
    insert into attempts (subject, count, window_ends_at)
    select subject, 1, ends_at from unnest($1::text[], $2::timestamptz[]) as tried (subject, ends_at) order by subject
    on conflict (subject) do update set
      count = case when attempts.window_ends_at <= $3 then 1 else least(attempts.count + 1, ${MAX_COUNTED}) end,
      window_ends_at = case when attempts.window_ends_at <= $3 then excluded.window_ends_at
        else attempts.window_ends_at end
    returning subject, count, window_ends_at`,
};

const FORGIVE = {
  name: "attempts_forgive",
  text: `
    with forgiven as (select subject from attempts where subject = any($1) order by subject for update)
    update attempts set count = greatest(count - $2, 0)
    from forgiven where attempts.subject = forgiven.subject`,
};

export function createAttemptLimiter({
  database,
  now,
}: {
  database: Database;
  now: () => Date;
}): AttemptLimiter {
  /** When the last of the exceeded windows ends; undefined when all attempts are within their limits. */
  const count = async (tried: readonly AttemptKind[]): Promise<Date | undefined> => {
    const at = now();
    const bySubject = new Map(tried.map((one) => [subjectOf(one), LIMITS[one.what]]));
    const ends = [...bySubject.values()].map(({ windowMs }) => new Date(at.getTime() + windowMs));
    const { rows } = await database.pool.query<Counted>({
      ...COUNT,
      values: [[...bySubject.keys()], ends, at],
    });
    const exceeded = rows.filter((row) => row.count > bySubject.get(row.subject)!.tries);
    const last = Math.max(...exceeded.map((row) => row.window_ends_at.getTime()));
    return exceeded.length > 0 ? new Date(last) : undefined;
  };
  return {
    async take(...tried) {
      const until = await count(tried);
      if (!until) return;
      const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - now().getTime()) / 1000));
      throw new Refusal("rate_limited", "Too many attempts. Try again later.", {
        retryAfterSeconds,
      });
    },
    async allows(tried) {
      return (await count([tried])) === undefined;
    },
    async forgive(extent, ...tried) {
      const tries = extent === "one" ? 1 : MAX_COUNTED;
      await database.pool.query({ ...FORGIVE, values: [tried.map(subjectOf), tries] });
    },
    async deleteExpired() {
      await database.orm.delete(attempts).where(lte(attempts.windowEndsAt, now()));
    },
  };
}

function subjectOf({ what, by }: AttemptKind): string {
  return `${what}:${createHash("sha256").update(JSON.stringify(by)).digest("base64url")}`;
}
