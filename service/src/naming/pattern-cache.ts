/**
 * Cache of naming patterns by domain. Domains asked for within some milliseconds are read in one query. On any failure the
 * pattern is unknown.
 */
import type { PatternTally } from "@mailvet/engine";
import type pg from "pg";
import { createBatcher } from "../batcher.ts";
import { createCachedLookup } from "../cached-lookup.ts";
import type { LogEvent } from "../log-events.ts";

export type PatternCache = {
  find(domain: string): Promise<PatternTally | undefined>;
  /** The pattern as it is in the table now. */
  set(domain: string, tally: PatternTally): void;
};

export type PatternCacheDeps = { pool: Pick<pg.Pool, "query">; log: LogEvent };

const MAX_DOMAINS = 20_000;
/** Other processes go on counting meanwhile. */
const TTL_MS = 5 * 60_000;
const DELAY_MS = 3;
const DOMAINS_PER_QUERY = 1_000;

export function createPatternCache({ pool, log }: PatternCacheDeps): PatternCache {
  const queries = createBatcher<string, PatternTally | undefined>({
    async run(domains) {
      const statement = { name: "naming-at", text: NAMING_AT, values: [domains] };
      const { rows } = await pool.query<PatternTally & { domain: string }>(statement).catch((error) => {
        log("naming_patterns_read_failed", { err: error, domains: domains.length });
        throw error;
      });
      const found = new Map(rows.map(({ domain, ...tally }) => [domain, tally]));
      return domains.map((domain) => found.get(domain));
    },
    maxItems: DOMAINS_PER_QUERY,
    delayMs: DELAY_MS,
  });
  const patterns = createCachedLookup({ load: queries.submit, max: MAX_DOMAINS, ttlMs: TTL_MS });

  return {
    async find(domain) {
      try {
        return await patterns.find(domain);
      } catch {
        return undefined; // not cached, so the next check asks again
      }
    },
    set: patterns.set,
  };
}

const NAMING_AT = `
  select domain, mailboxes, shares from naming_patterns where domain = any($1::text[])`;
