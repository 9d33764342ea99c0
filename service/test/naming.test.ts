/** Naming patterns on a real database: what is stored of proven mailboxes, and what is published. */
import {
  type Evidence,
  fitOf,
  readEngineSettings,
  settingsFrom,
  TEMPLATES,
  verifierFrom,
} from "@mailvet/engine";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../src/db/database.ts";
import { createNaming, type NamingKnowledge } from "../src/naming/naming.ts";
import { createPatternCache } from "../src/naming/pattern-cache.ts";
import { SANDBOX_OUTCOMES } from "../src/validations/sandbox-outcomes.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { recordEvents } from "./logged-events.ts";
import { PATIENCE } from "./patience.ts";

const FIRST = ["anna", "john", "maria", "peter", "laura", "thomas", "julia", "david", "sarah", "martin"];
const LAST = [
  "schmidt",
  "smith",
  "garcia",
  "jones",
  "rossi",
  "weber",
  "novak",
  "larsen",
  "dubois",
  "kowalski",
];
const people = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const [first, last, more] = [FIRST[i % 10]!, LAST[Math.floor(i / 10) % 10]!, Math.floor(i / 100)];
    return `${first}.${last}${more || ""}`;
  });

let database: TestDatabase;
const { events, log } = recordEvents();
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const open = (pool = database.pool): NamingKnowledge =>
  createNaming({ database: { pool }, learns: true, log });

const verifier = verifierFrom(readEngineSettings(settingsFrom({ EGRESS_ALLOW: "127.0.0.0/8" }))); // so that .test is a name

/** The result of a check when the mailbox is accepted and decoys are rejected. */
function proven(domain: string, local: string): Evidence {
  return SANDBOX_OUTCOMES[""](verifier.begin(`${local}@${domain}`, "syntax").evidence);
}

/** Learns like a process that then stops. */
async function learn(at: string | readonly string[], locals: readonly string[]): Promise<void> {
  const naming = open();
  for (const domain of [at].flat()) for (const local of locals) naming.learnFrom(proven(domain, local));
  await naming.close();
}

async function rowOf(domain: string) {
  const { rows } = await database.pool.query("select * from naming_patterns where domain = $1", [domain]);
  return rows[0];
}

test("a mailbox counts once, however often and in whatever spelling it is proven", async () => {
  const domain = "once.test";
  for (let again = 0; again < 3; again++) {
    await learn(domain, ["Anna.Schmidt", "anna.schmidt+news", ...people(5)]);
  }
  const row = await rowOf(domain);
  expect(row.mailboxes).toBe(5);
  expect(row.shares).toHaveLength(TEMPLATES.length);
  expect(row.shares.reduce((sum: number, share: number) => sum + share, 0)).toBeCloseTo(5);
  expect(row.shares[TEMPLATES.indexOf("first.last")]).toBeGreaterThan(4);
});

test("processes that count the same domains concurrently lose and duplicate nothing", async () => {
  const domains = Array.from({ length: 30 }, (_, i) => `together${i}.test`);
  const all = people(21);
  await learn(domains.slice(0, 15), all.slice(0, 1)); // the others are new to all
  const other = openDatabase({ connection: database.connection, maxConnections: 8 });
  const before = events.length;
  await Promise.all(
    Array.from({ length: 5 }, async (_, place) => {
      const naming = open(place % 2 === 0 ? database.pool : other.pool);
      // Each has four of its own, and they come to the domains in different orders.
      for (const domain of place % 2 === 0 ? domains : domains.toReversed()) {
        for (const local of [all[0]!, ...all.slice(1 + place * 4, 5 + place * 4)])
          naming.learnFrom(proven(domain, local));
      }
      await naming.close();
    }),
  );
  await other.close();
  const { rows } = await database.pool.query<{ mailboxes: number }>(
    "select mailboxes from naming_patterns where domain like 'together%'",
  );
  expect(rows.map(({ mailboxes }) => mailboxes)).toEqual(domains.map(() => 21));
  expect(events.slice(before)).toEqual([]);
});

test("a large domain is counted up to two hundred mailboxes, and then its filter is cleared", async () => {
  await learn("large.test", people(150));
  expect(await rowOf("large.test")).toMatchObject({ mailboxes: expect.toSatisfy((n: number) => n > 140) });
  await learn("large.test", people(290).slice(150));
  await learn("large.test", ["one.more"]);
  const { mailboxes, seen } = await rowOf("large.test");
  expect(mailboxes).toBe(200);
  expect(seen).toEqual(Buffer.alloc(0));
});

test("the table contains no names", async () => {
  await learn("private.test", people(100));
  const { rows } = await database.pool.query<{ text: string }>(
    "select p::text as text from naming_patterns p",
  );
  const dump = rows.map(({ text }) => text).join("\n");
  expect(dump).toContain("private.test");
  for (const name of [...FIRST, ...LAST]) {
    expect(dump).not.toContain(name);
    expect(dump).not.toContain(Buffer.from(name).toString("hex"));
  }
});

test("two mailboxes are not published; three are, to all processes", async () => {
  const naming = open();
  for (const local of people(2)) naming.learnFrom(proven("small.test", local));
  await vi.waitFor(async () => expect(await rowOf("small.test")).toMatchObject({ mailboxes: 2 }), PATIENCE);
  expect(await naming.namingAt("small.test")).toBeUndefined();

  naming.learnFrom(proven("small.test", people(3)[2]!));
  const tally = await vi.waitFor(async () => {
    const published = await naming.namingAt("small.test");
    expect(published).toBeDefined();
    return published!;
  }, PATIENCE);
  expect(fitOf("paula.meier", tally)).toMatchObject({ leading: "first.last", agreeing: 3, of: 3 });
  expect(await open().namingAt("small.test")).toEqual(tally);
  await naming.close();
});

test("many domains are read in one query, and then cached", async () => {
  await learn("few.test", people(5));
  await learn("many.test", people(21));
  const asked: unknown[] = [];
  const query = (statement: { text: string; values: unknown[][] }) => {
    asked.push(statement.values[0]);
    return database.pool.query(statement);
  };
  const memory = createPatternCache({ pool: { query: query as typeof database.pool.query }, log });
  const domains = ["few.test", "many.test", "nowhere.test"];
  const ask = () => Promise.all([...domains, ...domains].map((domain) => memory.find(domain)));
  const tallies = await ask();
  expect(tallies.map((tally) => tally?.mailboxes)).toEqual([5, 21, undefined, 5, 21, undefined]);
  expect(await ask()).toEqual(tallies);
  expect(asked).toEqual([domains]);
});

test("without the database nothing is known or learned, and the failure is logged", async () => {
  const gone = openDatabase({ connection: { ...database.connection, database: "nowhere" } });
  const before = events.length;
  const naming = open(gone.pool);
  naming.learnFrom(proven("once.test", "paul.miller"));
  expect(await naming.namingAt("once.test")).toBeUndefined();
  await naming.close();
  await gone.close();
  const failed = events.slice(before).sort((one, other) => one.event.localeCompare(other.event));
  expect(failed).toMatchObject([
    { event: "naming_patterns_read_failed", domains: 1 },
    { event: "naming_patterns_write_failed", mailboxes: 1 },
  ]);
  expect(events.map(({ err }) => String(err)).join()).not.toContain("paul");
});

test("without learning nothing is added", async () => {
  const naming = createNaming({ database, learns: false, log });
  for (const local of people(5)) naming.learnFrom(proven("off.test", local));
  await naming.close();
  expect(await rowOf("off.test")).toBeUndefined();
});

test("a pattern without a proof for 400 days is deleted; a repeated proof keeps it", async () => {
  const age = (domain: string, days: number) =>
    database.pool.query(
      "update naming_patterns set updated_at = now() - make_interval(days => $2) where domain = $1",
      [domain, days],
    );
  await learn(["old.test", "kept.test"], people(3));
  await age("old.test", 401);
  await age("kept.test", 399);
  expect(await open().eraseOld()).toBe(1);
  expect(await rowOf("old.test")).toBeUndefined();

  await learn("kept.test", people(1));
  const { mailboxes, updated_at } = await rowOf("kept.test");
  expect(mailboxes).toBe(3);
  expect(Date.now() - updated_at.getTime()).toBeLessThan(60_000);
});
