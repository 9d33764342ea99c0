/**
 * How the mailboxes of a domain are named: learned from proven mailboxes, used by checks that cannot prove theirs.
 *
 * Stored are counts per template ("first.last", "flast" …) and no names. All accounts of a deployment contribute and
 * benefit, within the limits of k-anonymity.ts.
 */
import type { Evidence, PatternTally } from "@mailvet/engine";
import { batchedDelete } from "../db/batched-delete.ts";
import type { Database } from "../db/database.ts";
import type { LogEvent } from "../log-events.ts";
import { publishedTally } from "./k-anonymity.ts";
import { createPatternCache } from "./pattern-cache.ts";
import { createPatternWriter } from "./pattern-writer.ts";
import { provenMailboxOf } from "./proven-mailbox.ts";

export type NamingKnowledge = {
  /**
   * From any check that has ended. From nothing else: reported outcomes could be invented, and all accounts see the
   * result.
   */
  learnFrom(evidence: Evidence): void;
  /** Undefined when there are too few mailboxes, or the pattern cannot be read. Never rejects. */
  namingAt(domain: string): Promise<PatternTally | undefined>;
  /** Deletes patterns without a proof in more than a year; returns how many. */
  eraseOld(): Promise<number>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
};

export type NamingDeps = {
  database: Pick<Database, "pool">;
  /** False: known patterns are used, but nothing is added. */
  learns: boolean;
  log: LogEvent;
};

export function createNaming({ database: { pool }, learns, log }: NamingDeps): NamingKnowledge {
  const cache = createPatternCache({ pool, log });
  const writer = createPatternWriter({ pool, onWritten: cache.set, log });
  return {
    learnFrom(evidence) {
      const mailbox = learns ? provenMailboxOf(evidence) : undefined;
      if (mailbox) writer.write(mailbox);
    },
    async namingAt(domain) {
      const tally = await cache.find(domain);
      return tally && publishedTally(tally);
    },
    eraseOld: () => batchedDelete(pool, ERASE),
    close: () => writer.close(),
  };
}

const ERASE = `
  delete from naming_patterns where domain in (
    select domain from naming_patterns
    where updated_at < now() - interval '400 days' limit $1 for update skip locked
  )`;
