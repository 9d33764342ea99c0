/**
 * Exchanges the use of request limits between API processes through the database, so that a limit holds for all of them
 * together.
 *
 * A process reports when an account has used a hundredth of its rate or changed a twentieth of its concurrency since the
 * last report, and at least once a second while requests are in progress. One statement reports all accounts, and
 * returns what is left. Between reports each process admits on its own: in a burst the processes together exceed the
 * limit by a few per cent, which the bucket then pays back. While the database is unavailable each process enforces the
 * limit alone.
 */
import type pg from "pg";
import { accountSql } from "../accounts/account-queries.ts";

export type UsageExchange = {
  /** `onTokens` is called with the tokens that an account has left, all processes considered. */
  start(onTokens: (left: AccountTokens) => void): void;
  countRequest(accountId: string, perMinute: number): void;
  countInProgress(accountId: string, change: 1 | -1, concurrent: number): void;
  inProgressElsewhere(accountId: string): number;
  /** For tests: resolves when everything counted so far has been reported. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

export type AccountTokens = { accountId: string; tokens: number };

export type UsageExchangeDeps = { pool: pg.Pool; processId: string };

type Usage = {
  /** Requests since the last report. */
  requests: number;
  perMinute: number;
  inProgress: number;
  concurrent: number;
  /** As last reported, and what the other processes had then. */
  reported: number;
  elsewhere: number;
};

/** Of the limit; a smaller share would report more often, a larger one would exceed the limit further. */
const REQUESTS_SHARE = 0.01;
const CONCURRENCY_SHARE = 0.05;
/** Between two reports, so that many busy accounts cost a hundred statements a second at most. */
const REPORT_GAP_MS = 10;
const RENEW_MS = 1000;

export function createUsageExchange({ pool, processId }: UsageExchangeDeps): UsageExchange {
  const usages = new Map<string, Usage>();
  let onTokens = (_left: AccountTokens) => {};
  let timer: NodeJS.Timeout | undefined;
  let isDue = false; // the timer is for a report that should not wait for the renewal
  let reporting: Promise<void> | undefined;
  let isClosed = false;

  const usageOf = (accountId: string): Usage => {
    const known = usages.get(accountId);
    if (known) return known;
    const usage = { requests: 0, perMinute: 0, inProgress: 0, concurrent: 0, reported: 0, elsewhere: 0 };
    usages.set(accountId, usage);
    return usage;
  };

  const schedule = (delayMs: number) => {
    if (reporting || isClosed) return;
    const shouldHurry = delayMs < RENEW_MS && !isDue;
    if (timer && !shouldHurry) return;
    clearTimeout(timer);
    isDue = delayMs < RENEW_MS;
    timer = setTimeout(report, delayMs).unref();
  };
  const next = () => {
    if (usages.size === 0) return;
    schedule([...usages.values()].some(isReportDue) ? REPORT_GAP_MS : RENEW_MS);
  };

  function report(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isDue = false;
    reporting ??= exchange()
      .catch(() => {}) // each process limits alone until the database is back; what was used is reported then
      .finally(() => {
        reporting = undefined;
        next();
      });
    return reporting;
  }

  async function exchange(): Promise<void> {
    const entries = [...usages].filter(([, usage]) => usage.perMinute > 0);
    const sent = entries.map(([accountId, { requests, perMinute, inProgress }]) => ({
      accountId,
      requests,
      perMinute,
      inProgress,
    }));
    if (sent.length === 0) return;
    const { rows } = await pool.query<{ account_id: string; tokens: number; elsewhere: number }>({
      name: "exchange_usage",
      text: EXCHANGE,
      values: [
        processId,
        sent.map(({ accountId }) => accountId),
        sent.map(({ requests }) => requests),
        sent.map(({ perMinute }) => perMinute),
        sent.map(({ inProgress }) => inProgress),
      ],
    });
    const answers = new Map(rows.map((row) => [row.account_id, row]));
    for (const { accountId, requests, inProgress } of sent) {
      const usage = usages.get(accountId)!;
      const answer = answers.get(accountId);
      if (!answer) {
        usages.delete(accountId); // the account has been deleted
        continue;
      }
      const { tokens, elsewhere } = answer;
      usage.requests -= requests;
      usage.reported = inProgress;
      usage.elsewhere = elsewhere;
      onTokens({ accountId, tokens: tokens - usage.requests }); // less what was admitted meanwhile
      const isIdle = requests === 0 && inProgress === 0 && usage.requests === 0 && usage.inProgress === 0;
      if (isIdle) usages.delete(accountId);
    }
  }

  return {
    start(listener) {
      onTokens = listener;
    },
    countRequest(accountId, perMinute) {
      const usage = usageOf(accountId);
      usage.requests++;
      usage.perMinute = perMinute;
      schedule(isReportDue(usage) ? REPORT_GAP_MS : RENEW_MS);
    },
    countInProgress(accountId, change, concurrent) {
      const usage = usageOf(accountId);
      usage.inProgress += change;
      usage.concurrent = concurrent;
      schedule(isReportDue(usage) ? REPORT_GAP_MS : RENEW_MS);
    },
    inProgressElsewhere: (accountId) => usages.get(accountId)?.elsewhere ?? 0,
    async flush() {
      await reporting;
      await report();
    },
    async close() {
      isClosed = true;
      await reporting;
      await report(); // what is left
    },
  };
}

/** Deletes the rows of accounts without recent requests. */
export async function deleteIdleUsage(pool: pg.Pool): Promise<void> {
  await pool.query(DELETE_IDLE_BUCKETS);
  await pool.query(DELETE_IDLE_REQUESTS);
}

function isReportDue({ requests, perMinute, inProgress, concurrent, reported }: Usage): boolean {
  const change = Math.abs(inProgress - reported);
  return (
    (requests > 0 && requests >= perMinute * REQUESTS_SHARE) ||
    (change > 0 && change >= concurrent * CONCURRENCY_SHARE)
  );
}

/**
 * $1 this process, then per account: requests since the last report, requests per minute, requests in progress. The
 * rows are locked in the order of the accounts, so that two processes do not deadlock. The debt of a bucket is limited
 * to one minute.
 */
const EXCHANGE = `
with used as (
  select used.* from unnest($2::uuid[], $3::float8[], $4::float8[], $5::int[]) as used (account_id, requests, per_minute, in_progress)
  ${accountSql.join("used.account_id")}
  order by used.account_id
),
bucket as (
  insert into request_buckets as bucket (account_id, tokens, per_minute, filled_at)
  select account_id, per_minute - requests, per_minute, clock_timestamp() from used
  on conflict (account_id) do update set
    tokens = greatest(
      -excluded.per_minute,
      least(
        excluded.per_minute,
        bucket.tokens + extract(epoch from clock_timestamp() - bucket.filled_at) * excluded.per_minute / 60
      ) - (excluded.per_minute - excluded.tokens)
    ),
    per_minute = excluded.per_minute,
    filled_at = clock_timestamp()
  returning account_id, tokens
),
mine as (
  insert into requests_in_progress (account_id, process_id, requests, renewed_at)
  select account_id, $1, in_progress, clock_timestamp() from used
  on conflict (account_id, process_id) do update set requests = excluded.requests, renewed_at = excluded.renewed_at
)
select account_id, tokens, coalesce((
  select sum(requests) from requests_in_progress as other
  where other.account_id = bucket.account_id and other.process_id <> $1
    and other.renewed_at > clock_timestamp() - interval '3 seconds'
), 0)::int as elsewhere
from bucket`;

/** A bucket is full again after a minute, or after two with the largest debt. */
const DELETE_IDLE_BUCKETS = "delete from request_buckets where filled_at < now() - interval '5 minutes'";
const DELETE_IDLE_REQUESTS =
  "delete from requests_in_progress where renewed_at < now() - interval '1 minute'";
