/**
 * Counts tries in windows, across all processes, and refuses the ones too many.
 *
 * A try is counted before it is looked at, so a thousand at once get no further than a thousand in a row. Persons
 * are counted as hashes: the table does not say who tried to sign in.
 */
import { createHash } from "node:crypto";
import { lte } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import { attempts } from "./schema.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What may be tried → how often, and for how long it is counted. */
const LIMITS = {
  // Guessing one account's password from one network.
  sign_in_from_one_network: { tries: 5, windowMs: 5 * MINUTE_MS },
  // From everywhere together. Loose and short, or else anybody could keep the owner out.
  sign_in_to_one_account: { tries: 30, windowMs: 5 * MINUTE_MS },
  // Trying one password on many accounts.
  sign_in_by_one_network: { tries: 50, windowMs: 15 * MINUTE_MS },
  // With somebody else's open browser.
  change_password: { tries: 10, windowMs: 15 * MINUTE_MS },
  sign_up: { tries: 30, windowMs: HOUR_MS },
  reset_password: { tries: 10, windowMs: HOUR_MS },
  // Nobody's mailbox gets more mails than this, whoever asks for them.
  mail_to_one_address: { tries: 5, windowMs: HOUR_MS },
} as const;

export type AttemptKind = { what: keyof typeof LIMITS; by: readonly string[] };

export type AttemptLimiter = {
  /** Counts one try of each and refuses if it is one too many. */
  take(...tried: AttemptKind[]): Promise<void>;
  /** Counts one try, and whether it was within the limit. */
  allows(tried: AttemptKind): Promise<boolean>;
  /** It was no abuse after all: one of them does not count, or none does. */
  giveBack(howMany: "one" | "all", ...tried: AttemptKind[]): Promise<void>;
  deleteExpired(): Promise<void>;
};

const MOST_COUNTED = 1_000_000;

type Counted = { subject: string; count: number; window_ends_at: Date };

// In the order of their subjects, so that two of these never wait for each other.
const COUNT = {
  name: "attempts_count",
  text: `
    insert into attempts (subject, count, window_ends_at)
    select subject, 1, ends_at from unnest($1::text[], $2::timestamptz[]) as tried (subject, ends_at) order by subject
    on conflict (subject) do update set
      count = case when attempts.window_ends_at <= $3 then 1 else least(attempts.count + 1, ${MOST_COUNTED}) end,
      window_ends_at = case when attempts.window_ends_at <= $3 then excluded.window_ends_at
        else attempts.window_ends_at end
    returning subject, count, window_ends_at`,
};

const GIVE_BACK = {
  name: "attempts_give_back",
  text: `
    with given_back as (select subject from attempts where subject = any($1) order by subject for update)
    update attempts set count = greatest(count - $2, 0)
    from given_back where attempts.subject = given_back.subject`,
};

export function createAttemptLimiter({
  database,
  now,
}: {
  database: Database;
  now: () => Date;
}): AttemptLimiter {
  /** When the last of the exceeded windows ends; undefined when all tries are within their limits. */
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
      throw new Refusal("rate_limited", "That was tried too often. Please wait a while.", {
        retryAfterSeconds,
      });
    },
    async allows(tried) {
      return (await count([tried])) === undefined;
    },
    async giveBack(howMany, ...tried) {
      const tries = howMany === "one" ? 1 : MOST_COUNTED;
      await database.pool.query({ ...GIVE_BACK, values: [tried.map(subjectOf), tries] });
    },
    async deleteExpired() {
      await database.orm.delete(attempts).where(lte(attempts.windowEndsAt, now()));
    },
  };
}

function subjectOf({ what, by }: AttemptKind): string {
  return `${what}:${createHash("sha256").update(JSON.stringify(by)).digest("base64url")}`;
}
