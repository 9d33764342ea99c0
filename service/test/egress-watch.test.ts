/** What operators are told about egress identities: once when a provider refuses one or a blocklist has it, once when it ends. */
import type { HostPace } from "@mailvet/contract";
import type { Diagnosis } from "@mailvet/engine";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import { createNotifications } from "../src/notifications/notifications.ts";
import { createEgressWatch, type EgressWatch, listedIdentities } from "../src/system/egress-watch.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { recordEvents } from "./recorded-events.ts";

const OPERATORS = ["7f1c8a52-33f0-4d77-9b0a-0b8f2f6f3a11", "7f1c8a52-33f0-4d77-9b0a-0b8f2f6f3a12"];
const CUSTOMER = "7f1c8a52-33f0-4d77-9b0a-0b8f2f6f3a13";
const { log, events } = recordEvents();

let database: TestDatabase;
let watch: EgressWatch;
let paces: HostPace[] = [];
let findings: Diagnosis[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  const account = (id: string, isOperator: boolean) => ({
    id,
    email: `${id}@team.example`,
    plan: "payg" as const,
    isOperator,
  });
  await database.orm
    .insert(accounts)
    .values([...OPERATORS.map((id) => account(id, true)), account(CUSTOMER, false)]);
  const publicUrl = "https://mailvet.example";
  watch = createEgressWatch({
    database,
    listThrottles: () => paces,
    openDoctor: () => ({
      async *examine() {
        yield* findings;
      },
      close: () => {},
    }),
    notifications: createNotifications({
      database,
      ledger: { balancesOf: async () => new Map() },
      mailer: { reachesPeople: true, send: async () => {} },
      publicUrl,
      log,
    }),
    publicUrl,
    log,
  });
});
afterAll(() => database.close());
beforeEach(() => {
  events.length = 0;
});

/** Of emails written since the last call: account and subject. */
async function written(): Promise<string[]> {
  const { rows } = await database.pool.query(
    "with gone as (delete from outgoing_emails returning *) select account_id, subject, text from gone order by account_id",
  );
  expect(rows.map(({ account_id }) => account_id)).toEqual(rows.length > 0 ? OPERATORS : []);
  return rows.map(({ subject, text }) => `${subject}\n${text}`);
}

const refused: HostPace = {
  key: "provider microsoft_365",
  provider: "microsoft_365",
  identity: "default",
  limit: 2,
  rest_ms: 200,
  refused_since: "2026-11-19T14:05:00.000Z",
  breaker_open_until: null,
  last_reply: "550 5.7.606 Access denied, banned sending IP [192.0.2.1]",
};

test("operators are told once that a provider refuses, and once that it relents", async () => {
  paces = [refused];
  for (let minute = 0; minute < 3; minute++) await watch.noteRefusals();
  const [first, ...others] = await written();
  expect(others).toHaveLength(1); // one email for each operator
  expect(first).toMatch(/^Mailvet is refused by microsoft_365\n/);
  for (const part of ["550 5.7.606 Access denied", "https://sender.office.com/", "2026-11-19 14:05 UTC"])
    expect(first).toContain(part);
  expect(events).toMatchObject([
    { event: "egress_refused", identity: "default", provider: "microsoft_365", since: refused.refused_since },
  ]);
  paces = [];
  for (let minute = 0; minute < 3; minute++) await watch.noteRefusals();
  expect((await written())[0]).toMatch(/^Mailvet is no longer refused by microsoft_365\n/);
  expect(events.map(({ event }) => event)).toEqual(["egress_refused", "egress_accepted"]);
});

test("a listing is kept until the blocklist says otherwise, and a list that does not answer changes nothing", async () => {
  const finding = (outcome: Diagnosis["outcome"]): Diagnosis => ({
    name: "zen.spamhaus.org",
    outcome,
    found: "192.0.2.1 is on this blocklist (SBL: spam source).",
  });
  findings = [{ name: "port 25", outcome: "bad", found: "Closed." }, finding("bad")];
  for (let day = 0; day < 2; day++) await watch.askBlocklists();
  expect((await written())[0]).toContain("https://check.spamhaus.org/");
  const listed = [{ identity: "default", provider: "zen.spamhaus.org", state: "listed" }];
  expect(await listedIdentities(database)).toMatchObject(listed);
  findings = [finding("unknown")];
  await watch.askBlocklists();
  await watch.noteRefusals(); // of another kind
  expect(await listedIdentities(database)).toMatchObject(listed);
  findings = [finding("good")];
  await watch.askBlocklists();
  expect(await listedIdentities(database)).toEqual([]);
  expect((await written())[0]).toMatch(/^Mailvet is no longer on the blocklist zen.spamhaus.org\n/);
  expect(events.map(({ event }) => event)).toEqual(["egress_refused", "egress_accepted"]);
});
