/**
 * How the mailboxes of a domain are named: learned from those that were proven, told to checks that prove nothing.
 *
 * Kept are counts per template ("first.last", "flast" …) and no names. All accounts of a deployment teach, and all are
 * told, but no more than what k-anonymity.ts lets through.
 */
import type { Evidence, PatternTally } from "@mailvet/engine";
import { batchedDelete } from "../db/batched-delete.ts";
import type { Database } from "../db/database.ts";
import { toldOf } from "./k-anonymity.ts";
import { createPatternCache } from "./pattern-cache.ts";
import { createPatternWriter } from "./pattern-writer.ts";
import { lessonOf } from "./proven-mailbox.ts";

export type NamingKnowledge = {
  /**
   * From a check that has ended, whatever came of it. From nothing else: what an account says arrived could be made up,
   * and all accounts are told.
   */
  learnFrom(evidence: Evidence): void;
  /** Undefined when there is too little to tell, or nobody knows in time. Never rejects. */
  namingAt(domain: string): Promise<PatternTally | undefined>;
  /** Erases what nothing was proven for in more than a year; says how many. */
  eraseOld(): Promise<number>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
};

export type NamingDeps = {
  database: Pick<Database, "pool">;
  /** Otherwise nothing is added to what is known. */
  learns: boolean;
  say: (message: string) => void;
};

export function createNaming({ database: { pool }, learns, say }: NamingDeps): NamingKnowledge {
  const memory = createPatternCache({ pool, say });
  const writer = createPatternWriter({ pool, onWritten: memory.put, say });
  return {
    learnFrom(evidence) {
      const lesson = learns ? lessonOf(evidence) : undefined;
      if (lesson) writer.write(lesson);
    },
    async namingAt(domain) {
      const tally = await memory.at(domain);
      return tally && toldOf(tally);
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
