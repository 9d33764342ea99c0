/**
 * Counts proven mailboxes into the patterns of their domains: delayed, many at a time, never blocking a check.
 *
 * What a mailbox adds depends on the pattern so far, so the rows are locked, counted here, and written back in one
 * transaction. Every process locks in the same order. What is lost when a process dies is learned from the next proof.
 */
import { createHmac } from "node:crypto";
import { emptyTally, entriesUpTo, type PatternTally, withMailbox } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { createBatcher } from "../base/batcher.ts";
import { inTimeSlices } from "../base/event-loop-yield.ts";
import type { LogEvent } from "../base/log-events.ts";
import { inTransaction, retriedOnConflict } from "../db/database.ts";
import type { ProvenMailbox } from "./proven-mailbox.ts";

export type PatternWriter = { write(mailbox: ProvenMailbox): void; close(): Promise<void> };

export type PatternWriterDeps = {
  pool: pg.Pool;
  /** A domain's pattern as it is in the table now. */
  onWritten: (domain: string, tally: PatternTally) => void;
  log: LogEvent;
};

/** More would not change the pattern, and large companies would be written without end. */
const MAX_COUNTED = 200;
/** Long enough for the mailboxes of one domain to arrive together: lists are checked domain by domain. */
const DELAY_MS = 250;
const MAX_BATCH = 1_000;
/** Mailboxes beyond this are dropped. */
const MAX_WAITING = 20_000;
/** Domains known to this process to be fully counted. */
const MAX_FULL = 5_000;
const FULL_TTL_MS = 3_600_000;

export function createPatternWriter({ pool, onWritten, log }: PatternWriterDeps): PatternWriter {
  const full = new LRUCache<string, true>({ ...entriesUpTo(MAX_FULL), ttl: FULL_TTL_MS });
  const mailboxes = createBatcher<ProvenMailbox, void>({
    async run(batch) {
      try {
        for (const { domain, mailboxes, shares } of await count(pool, batch)) {
          if (mailboxes >= MAX_COUNTED) full.set(domain, true);
          onWritten(domain, { mailboxes, shares });
        }
      } catch (error) {
        log("naming_patterns_write_failed", { err: error, mailboxes: batch.length });
      }
      return [];
    },
    maxItems: MAX_BATCH,
    delayMs: DELAY_MS,
  });
  let isClosed = false;

  return {
    write(mailbox) {
      if (isClosed || mailboxes.size >= MAX_WAITING || full.has(mailbox.domain)) return;
      void mailboxes.submit(mailbox);
    },
    close() {
      isClosed = true;
      return mailboxes.flush();
    },
  };
}

type Pattern = PatternTally & { domain: string; seen: Buffer };
type Row = Pattern & { isOld: boolean };

/** Returns the patterns after counting. */
async function count(pool: pg.Pool, mailboxes: readonly ProvenMailbox[]): Promise<Pattern[]> {
  const localsAt = new Map<string, Set<string>>();
  for (const { domain, local } of mailboxes) {
    const locals = localsAt.get(domain);
    if (locals) locals.add(local);
    else localsAt.set(domain, new Set([local]));
  }
  const domains = [...localsAt.keys()];
  const countInto = async (client: pg.PoolClient) => {
    const { rows } = await client.query<Row>(LOCK, [domains]);
    const rowOf = new Map(rows.map((row) => [row.domain, row]));
    const patterns = await inTimeSlices(domains, (domain) =>
      withAll(rowOf.get(domain) ?? emptyPattern(domain), localsAt.get(domain)!),
    );
    const changed = patterns.filter(({ domain, mailboxes }) => {
      const row = rowOf.get(domain);
      return row && (row.isOld || mailboxes !== row.mailboxes);
    });
    const added = patterns.filter(({ domain, mailboxes }) => mailboxes > 0 && !rowOf.has(domain));
    if (changed.length > 0) await client.query(UPDATE, [JSON.stringify(changed.map(stored))]);
    if (added.length > 0) await client.query(INSERT, [JSON.stringify(added.map(stored))]);
    return patterns;
  };
  return retriedOnConflict(() => inTransaction(pool, countInto));
}

function emptyPattern(domain: string): Pattern {
  return { domain, ...emptyTally(), seen: Buffer.alloc(0) };
}

function withAll(pattern: Pattern, locals: Iterable<string>): Pattern {
  const { domain } = pattern;
  // Counts of an earlier set of templates are of no use.
  const { mailboxes, shares, seen } =
    pattern.shares.length === emptyTally().shares.length ? pattern : emptyPattern(domain);
  let tally: PatternTally = { mailboxes, shares };
  let filter = unpacked(seen);
  for (const local of locals) {
    const next = tally.mailboxes < MAX_COUNTED ? marked(filter, domain, local) : undefined;
    const grown = next ? withMailbox(tally, local) : tally; // unchanged by a name that fits no template
    if (grown === tally) continue;
    filter = next!;
    tally = grown;
  }
  return { domain, ...tally, seen: packed(filter) };
}

/** A pattern that is full counts no more mailboxes, so it needs no filter. */
function stored({ domain, mailboxes, shares, seen }: Pattern) {
  return { domain, mailboxes, shares, seen: mailboxes < MAX_COUNTED ? seen.toString("hex") : "" };
}

const LOCK = `
  select domain, mailboxes, shares, seen, updated_at < now() - interval '30 days' as "isOld"
  from naming_patterns where domain = any($1::text[]) order by domain for update`;

// A mailbox that is proven again is not counted again, but keeps the pattern from expiring.
const UPDATE = `
  update naming_patterns p
  set mailboxes = one.mailboxes, shares = one.shares, seen = decode(one.seen, 'hex'), updated_at = now()
  from json_to_recordset($1::json) as one (domain text, mailboxes int, shares float8[], seen text)
  where p.domain = one.domain`;

/** Fails if another process has added one since: its mailboxes have to be counted in. */
const INSERT = `
  insert into naming_patterns (domain, mailboxes, shares, seen, updated_at)
  select domain, mailboxes, shares, decode(seen, 'hex'), now()
  from json_to_recordset($1::json) as one (domain text, mailboxes int, shares float8[], seen text) order by domain`;

/*
 * The filter is a Bloom filter over keyed hashes: which mailboxes were counted, without storing their names. It reports
 * "seen" for every counted mailbox, and for some that were not: one in a thousand with fifty mailboxes, one in twelve with
 * two hundred. Those are not counted, which does no harm. The filter cannot be read out, but a guess can be tested
 * against it, as with any hash of a name.
 */
const FILTER_BYTES = 128;
const BITS = FILTER_BYTES * 8;
const HASHES = 4;

/** The filter with this mailbox added; undefined when it seems to be in it already. */
function marked(filter: Uint8Array, domain: string, local: string): Buffer | undefined {
  const digest = createHmac("sha256", domain).update(local).digest();
  const next = Buffer.from(filter);
  let isNew = false;
  for (let index = 0; index < HASHES; index++) {
    const bit = digest.readUInt16BE(index * 2) % BITS;
    const mask = 1 << (bit & 7);
    if ((next[bit >> 3]! & mask) === 0) isNew = true;
    next[bit >> 3]! |= mask;
  }
  return isNew ? next : undefined;
}

/** As stored: the positions of its bits, two bytes each, while that is shorter. Most domains have a few mailboxes. */
function packed(filter: Buffer): Buffer {
  const positions: number[] = [];
  for (let bit = 0; bit < BITS; bit++) if (filter[bit >> 3]! & (1 << (bit & 7))) positions.push(bit);
  if (positions.length * 2 >= FILTER_BYTES) return filter;
  return Buffer.from(positions.flatMap((bit) => [bit >> 8, bit & 255]));
}

function unpacked(seen: Buffer): Buffer {
  if (seen.length === FILTER_BYTES) return seen;
  const filter = Buffer.alloc(FILTER_BYTES);
  for (let at = 0; at < seen.length; at += 2) {
    const bit = seen.readUInt16BE(at);
    filter[bit >> 3]! |= 1 << (bit & 7);
  }
  return filter;
}
