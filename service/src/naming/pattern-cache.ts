/**
 * How the mailboxes of a domain are named, as far as anybody is told: from this process, or from the table, many
 * domains in one query. Whatever goes wrong, "not known" is an answer.
 */
import type { PatternTally } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";

export type PatternCache = {
  at(domain: string): Promise<PatternTally | undefined>;
  /** What the table has now. */
  put(domain: string, tally: PatternTally): void;
};

export type PatternMemoryDeps = { pool: Pick<pg.Pool, "query">; say: (message: string) => void };

const MAX_DOMAINS = 20_000;
/** Other processes count on meanwhile. */
const KEPT_MS = 5 * 60_000;
const GATHER_MS = 3;
const DOMAINS_AT_ONCE = 1_000;

type Known = { tally: PatternTally | undefined };

export function createPatternCache({ pool, say }: PatternMemoryDeps): PatternCache {
  const known = new LRUCache<string, Known>({ max: MAX_DOMAINS, ttl: KEPT_MS });
  let gathering: Gathering | undefined;

  const load = async (domains: readonly string[]): Promise<void> => {
    try {
      const { rows } = await pool.query<PatternTally & { domain: string }>({
        name: "naming-at",
        text: NAMING_AT,
        values: [domains],
      });
      const found = new Map(rows.map(({ domain, ...tally }) => [domain, tally]));
      for (const domain of domains) {
        // What was counted since is newer than what was read.
        if (!known.has(domain)) known.set(domain, { tally: found.get(domain) });
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      say(`the naming patterns of ${domains.length} domains could not be read: ${why}`);
    }
  };
  const gather = (): Gathering => {
    const domains = new Set<string>();
    const loaded = new Promise<void>((resolve) => {
      setTimeout(() => {
        if (gathering === own) gathering = undefined;
        void load([...domains]).then(resolve);
      }, GATHER_MS);
    });
    const own = { domains, loaded };
    return own;
  };

  return {
    async at(domain) {
      const atHand = known.get(domain);
      if (atHand) return atHand.tally;
      if (!gathering || gathering.domains.size >= DOMAINS_AT_ONCE) gathering = gather();
      gathering.domains.add(domain);
      await gathering.loaded;
      return known.get(domain)?.tally;
    },
    put: (domain, tally) => known.set(domain, { tally }),
  };
}

/** Domains that will be asked for together in a moment. */
type Gathering = { domains: Set<string>; loaded: Promise<void> };

const NAMING_AT = `
  select domain, mailboxes, shares from naming_patterns where domain = any($1::text[])`;
