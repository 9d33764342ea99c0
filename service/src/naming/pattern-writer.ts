/**
 * Counts proven mailboxes into their domains' patterns: a little later, many at a time, and never in anyone's way.
 *
 * What a mailbox adds depends on what its domain is like already, so the rows are locked, counted on here, and written
 * back in one transaction. Every process locks in the same order. What is lost when a process dies is learned from the
 * next proof.
 */
import { emptyTally, type PatternTally, withMailbox } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { later } from "../debounce.ts";
import { inTimeSlices } from "../event-loop-yield.ts";
import type { ProvenMailbox } from "./proven-mailbox.ts";
import { FILTER_BYTES, marked } from "./seen-filter.ts";

export type PatternWriter = { write(lesson: ProvenMailbox): void; close(): Promise<void> };

export type PatternWriterDeps = {
  pool: Pick<pg.Pool, "connect">;
  /** A domain's pattern as it stands in the table now. */
  onWritten: (domain: string, tally: PatternTally) => void;
  say: (message: string) => void;
};

/** More of them would not change what they tell, and large companies would be written to without end. */
const MOST_MAILBOXES = 200;

/** Long enough for the mailboxes of one domain to come together: lists are asked for domain by domain. */
const GATHER_MS = 250;
const DOMAINS_AT_ONCE = 200;
/** What comes while so many mailboxes wait is not counted. */
const MAX_WAITING = 20_000;
/** Domains of which this process knows that they need no more. */
const MAX_FULL = 5_000;
const FULL_FOR_MS = 3_600_000;

export function createPatternWriter({ pool, onWritten, say }: PatternWriterDeps): PatternWriter {
  const waiting = new Map<string, Set<string>>(); // domain → mailbox names
  let waitingCount = 0;
  const full = new LRUCache<string, true>({ max: MAX_FULL, ttl: FULL_FOR_MS });
  let isClosed = false;

  const takeSome = (): Map<string, Set<string>> => {
    const some = new Map([...waiting].slice(0, DOMAINS_AT_ONCE));
    for (const [domain, locals] of some) {
      waiting.delete(domain);
      waitingCount -= locals.size;
    }
    return some;
  };
  const writeAll = async () => {
    while (waiting.size > 0) {
      const lessons = takeSome();
      try {
        for (const { domain, mailboxes, shares } of await count(pool, lessons)) {
          if (mailboxes >= MOST_MAILBOXES) full.set(domain, true);
          onWritten(domain, { mailboxes, shares });
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        say(`the naming patterns of ${lessons.size} domains could not be written: ${why}`);
      }
    }
  };
  const writing = later(GATHER_MS, writeAll, () => waiting.size > 0);

  return {
    write({ domain, local }) {
      if (isClosed || waitingCount >= MAX_WAITING || full.has(domain)) return;
      const locals = waiting.get(domain) ?? new Set();
      if (locals.has(local) || locals.size >= MOST_MAILBOXES) return;
      locals.add(local);
      waiting.set(domain, locals);
      waitingCount += 1;
      writing.soon();
    },
    close() {
      isClosed = true;
      return writing.close();
    },
  };
}

type Pattern = PatternTally & { domain: string; seen: Buffer };
type Row = Pattern & { isOld: boolean };

/** Returns the patterns as they are now. */
async function count(
  pool: PatternWriterDeps["pool"],
  lessons: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Pattern[]> {
  const domains = [...lessons.keys()];
  const { shares } = emptyTally();
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query(OPEN, [domains, shares, Buffer.alloc(FILTER_BYTES)]);
    const { rows } = await client.query<Row>(LOCK, [domains]);
    const counted = await inTimeSlices(rows, (row) => ({
      row,
      next: withAll(row, lessons.get(row.domain)!),
    }));
    const changed = counted.filter(({ row, next }) => row.isOld || next.mailboxes !== row.mailboxes);
    await client.query(WRITE, [JSON.stringify(changed.map(({ next }) => written(next)))]);
    await client.query("commit");
    return counted.map(({ next }) => next);
  } catch (error) {
    await client.query("rollback").catch(() => {}); // what went wrong is told already
    throw error;
  } finally {
    client.release(); // the pool drops it by itself if it is of no more use
  }
}

function withAll({ domain, seen, mailboxes, shares }: Row, locals: Iterable<string>): Pattern {
  // Counts by other templates than those of today tell nothing any more.
  const isOfToday = shares.length === emptyTally().shares.length;
  let tally: PatternTally = isOfToday ? { mailboxes, shares } : emptyTally();
  let filter: Buffer = isOfToday ? seen : Buffer.alloc(FILTER_BYTES);
  for (const local of locals) {
    const next = tally.mailboxes < MOST_MAILBOXES ? marked(filter, domain, local) : undefined;
    const grown = next ? withMailbox(tally, local) : tally; // and stays as it is by a name that nobody can read
    if (grown === tally) continue;
    filter = next!;
    tally = grown;
  }
  return { domain, ...tally, seen: filter };
}

/** Where nothing is counted any more, there is nothing left to tell apart. */
function written({ domain, mailboxes, shares, seen }: Pattern) {
  const filter = mailboxes < MOST_MAILBOXES ? seen : Buffer.alloc(FILTER_BYTES);
  return { domain, mailboxes, shares, seen: filter.toString("hex") };
}

const OPEN = `
  insert into naming_patterns (domain, mailboxes, shares, seen, updated_at)
  select domain, 0, $2::float8[], $3::bytea, now() from unnest($1::text[]) as domain order by domain
  on conflict do nothing`;

const LOCK = `
  select domain, mailboxes, shares, seen, updated_at < now() - interval '30 days' as "isOld"
  from naming_patterns where domain = any($1::text[]) order by domain for update`;

// A mailbox that is proven again keeps its domain's pattern from growing old, though it is not counted again.
const WRITE = `
  update naming_patterns p
  set mailboxes = one.mailboxes, shares = one.shares, seen = decode(one.seen, 'hex'), updated_at = now()
  from json_to_recordset($1::json) as one (domain text, mailboxes int, shares float8[], seen text)
  where p.domain = one.domain`;
