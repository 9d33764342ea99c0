/** Learning from outcomes over HTTP: every row is counted, stored once, and separate per account. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteOldOutcomes, deleteSurplusOutcomes } from "../src/feedback/outcome-store.ts";
import { cellsOf, remember, type Said } from "./feedback-world.ts";
import { type Answer, formWith, openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openService({ env: { ROLE: "api", MAX_CSV_EMAILS: "500" } });
});
afterAll(() => service[Symbol.asyncDispose]());

const catchAll = (email: string): Said => ({ email, subStatus: "catch_all", provider: "other" });
const CSV = { "content-type": "text/csv" };
const tell = ({ key }: Pick<TestAccount, "key">, body: unknown): Promise<Answer> =>
  service.ask("/feedback", { key, body });
const tellFile = ({ key }: Pick<TestAccount, "key">, body: string) =>
  service.ask("/feedback", { key, body, headers: CSV });
const check = async ({ key }: TestAccount, email: string) =>
  (await service.ask("/validation/single", { key, body: { email } })).body;
const outcomesOf = async ({ accountId }: TestAccount) =>
  (
    await service.database.pool.query(
      "select outcome, score, sub_status, provider from outcomes where account_id = $1 order by outcome, score",
      [accountId],
    )
  ).rows;

test("an outcome is stored with its prediction, costs nothing, and can be reported again", async () => {
  const ann = await service.openAccount({ credits: 5 });
  await remember(service, ann.accountId, [catchAll("dee@shop.io")]);
  const outcome = { email: " Dee@Shop.io ", outcome: "bounced" };
  for (let n = 0; n < 2; n++) {
    const { status, body, headers } = await tell(ann, outcome);
    expect([status, headers.get("x-credits-remaining")]).toEqual([200, "5"]);
    expect(body).toEqual({
      received: 1,
      stored: 1,
      superseded: 0,
      ignored: 0,
      unreadable: 0,
      matched: 1,
      unreadable_rows: [],
    });
  }
  expect(await outcomesOf(ann)).toEqual([
    { outcome: "bounced", score: expect.any(Number), sub_status: "catch_all", provider: "other" },
  ]);
  const { kept, counted } = await cellsOf(service, ann.accountId);
  expect(kept).toEqual(counted);
  expect(kept).toMatchObject([{ outcomes: 1, bounced: 1 }]);
});

test("unknown verdicts are matched with outcomes too", async () => {
  const ann = await service.openAccount();
  await remember(service, ann.accountId, [
    { email: "dee@slow.io", subStatus: "greylisted", provider: "yahoo" },
  ]);
  expect((await tell(ann, { email: "dee@slow.io", outcome: "delivered" })).body.matched).toBe(1);
  expect(await outcomesOf(ann)).toMatchObject([{ sub_status: "greylisted", provider: "yahoo" }]);
});

test("the newest outcome of a mailbox counts, in any order of reports", async () => {
  const ann = await service.openAccount();
  await remember(service, ann.accountId, [catchAll("dee@shop.io")]);
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const tellOf = async (outcome: string, days: number) =>
    (await tell(ann, { email: "dee@shop.io", outcome, occurred_at: at(days) })).body;
  expect(await tellOf("bounced", 0)).toMatchObject({ stored: 1, superseded: 0 });
  expect(await tellOf("delivered", 2)).toMatchObject({ stored: 0, superseded: 1 });
  expect(await outcomesOf(ann)).toMatchObject([{ outcome: "bounced" }]);
  expect((await tell(ann, { email: "dee@shop.io", outcome: "delivered" })).body).toMatchObject({ stored: 1 });
  expect(await outcomesOf(ann)).toMatchObject([{ outcome: "delivered" }]);
  const { kept, counted } = await cellsOf(service, ann.accountId);
  expect(kept).toEqual(counted);
  expect(kept).toMatchObject([{ outcomes: 1, bounced: 0 }]); // the bounce was removed again
  expect(await tellOf("bounced", 181)).toMatchObject({ stored: 0, ignored: 1 });
});

test("an export of a mail service is understood, and every row is counted", async () => {
  const ann = await service.openAccount();
  await remember(service, ann.accountId, [catchAll("a@shop.io"), catchAll("b@shop.io")]);
  const today = new Date().toISOString();
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const file = `timestamp,eventType,bounceType,recipient
${today},Delivery,,a@shop.io
${yesterday},Bounce,Permanent,A@shop.io
${today},Bounce,Permanent,b@shop.io
${today},Send,,b@shop.io
${today},Bounce,Transient,c@shop.io
${today},DeliveryDelay,,d@shop.io
${today},Complaint,,Eve <e@shop.io>
${today},Open,,valid@mailvet.test
${today},Exploded,,f@shop.io
${today},Bounce,Permanent,not an address
${today},Bounce,Permanent,
`;
  const expected = {
    received: 11,
    stored: 3,
    superseded: 2,
    ignored: 3,
    unreadable: 3,
    matched: 2,
    unreadable_rows: [
      { row: 9, reason: "“Exploded” is not a known outcome." },
      { row: 10, reason: expect.stringContaining("not a valid address") },
      { row: 11, reason: expect.stringContaining("email is missing") },
    ],
  };
  expect((await tellFile(ann, file)).body).toEqual(expected);
  const inForm = await service.ask("/feedback", { key: ann.key, form: formWith(file, "events.csv") });
  expect(inForm.body).toEqual(expected);
  expect((await outcomesOf(ann)).map(({ outcome }) => outcome)).toEqual([
    "bounced",
    "complained",
    "delivered",
  ]);
});

test("files without a header, or with bounce codes, are understood by their cells", async () => {
  const ann = await service.openAccount();
  const bare = await tellFile(ann, "ann@a.io;hard_bounce\nbo@a.io;soft_bounce\ncy@a.io;delivered\n");
  expect(bare.body).toMatchObject({ received: 3, stored: 2, ignored: 1 });
  const codes = await tellFile(
    ann,
    "status,reason,email\n5.1.1,no such user,x@a.io\n4.2.2,mailbox full,y@a.io\n",
  );
  expect(codes.body).toMatchObject({ received: 2, stored: 1, ignored: 1 });
});

test("sandbox outcomes are ignored, by a test key or at its domain", async () => {
  const ann = await service.openAccount();
  const test = await ann.makeKey({ mode: "test" });
  expect((await tell(test, { email: "dee@shop.io", outcome: "bounced" })).body).toMatchObject({ ignored: 1 });
  expect((await tell(ann, { email: "x@mailvet.test", outcome: "bounced" })).body).toMatchObject({
    ignored: 1,
  });
  expect(await outcomesOf(ann)).toEqual([]);
});

test("a test key does not see outcomes of live keys", async () => {
  const ann = await service.openAccount();
  const test = await ann.makeKey({ mode: "test" });
  await tell(ann, { email: "ann@shop.io", outcome: "bounced" });
  const reportFor = async (key: string) => (await service.ask("/feedback/report", { key })).body;
  const nothing = await reportFor((await service.openAccount()).key);
  expect(await reportFor(test.key)).toEqual(nothing);
  expect(await reportFor(ann.key)).not.toEqual(nothing);
});

test("a test key does not delete outcomes of live keys", async () => {
  const ann = await service.openAccount();
  const test = await ann.makeKey({ mode: "test" });
  await tell(ann, { email: "dee@shop.io", outcome: "bounced" });
  expect((await service.ask("/feedback", { method: "DELETE", key: test.key })).status).toBe(204);
  expect(await outcomesOf(ann)).toHaveLength(1);
});

test("concurrent reports neither deadlock nor lose counts", async () => {
  const ann = await service.openAccount();
  const emails = Array.from({ length: 60 }, (_, n) => `p${n}@shop.io`);
  await remember(service, ann.accountId, emails.map(catchAll));
  const shuffled = (seed: number) =>
    [...emails].sort((a, b) => ((a.length * seed) % 7) - ((b.length * seed) % 7));
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      tell(ann, {
        outcomes: shuffled(n + 1)
          .slice(n, n + 40)
          .map((email) => ({ email, outcome: n % 3 === 0 ? "bounced" : "delivered" })),
      }),
    ),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.stored + body.superseded).toBe(40);
  }
  const { kept, counted } = await cellsOf(service, ann.accountId);
  expect(kept).toEqual(counted);
  expect(kept[0].outcomes).toBe((await outcomesOf(ann)).length);
});

test("a bounced mailbox is known to its account only", async () => {
  const [ann, bob] = [await service.openAccount(), await service.openAccount()];
  for (const { accountId } of [ann, bob]) await remember(service, accountId, [catchAll("dee@shop.io")]);
  const before = await check(ann, "dee@shop.io");
  expect(before.flags).not.toContain("bounced_before");
  await tell(ann, { email: "dee@shop.io", outcome: "bounced" });

  await expect.poll(async () => (await check(ann, "dee@shop.io")).flags).toContain("bounced_before");
  const after = await check(ann, "dee@shop.io");
  expect(after.score).toBeLessThan(before.score);
  expect(after.status).toBe(before.status);
  const { results } = (
    await service.ask("/validation/bulk", { key: ann.key, body: { emails: ["dee@shop.io"] } })
  ).body;
  expect(results[0].score).toBe(after.score);
  expect(await check(bob, "dee@shop.io")).toMatchObject({ score: before.score, flags: before.flags });
});

test("deleting feedback removes outcomes and calibration", async () => {
  const [ann, bob] = [await service.openAccount(), await service.openAccount()];
  for (const who of [ann, bob]) {
    await remember(service, who.accountId, [catchAll("dee@shop.io")]);
    await tell(who, { email: "dee@shop.io", outcome: "bounced" });
  }
  expect((await service.ask("/feedback", { method: "DELETE", key: ann.key })).status).toBe(204);
  expect(await outcomesOf(ann)).toEqual([]);
  expect((await cellsOf(service, ann.accountId)).kept).toEqual([]);
  const { body: report } = await service.ask("/feedback/report", { key: ann.key });
  expect(report).toMatchObject({
    totals: { bounced: 0, matched: 0 },
    overall: null,
    by_score: [],
    by_week: [],
  });
  expect(await outcomesOf(bob)).toHaveLength(1);
});

test("outcomes are deleted after 180 days, and the calibration stays", async () => {
  const ann = await service.openAccount();
  await remember(service, ann.accountId, [catchAll("old@shop.io"), catchAll("new@shop.io")]);
  const outcomes = ["old@shop.io", "new@shop.io"].map((email) => ({ email, outcome: "bounced" }));
  await tell(ann, { outcomes });
  const { rowCount } = await service.database.pool.query(
    `update outcomes set reported_at = now() - interval '181 days'
     where account_id = $1 and address_hash = (select min(address_hash) from outcomes where account_id = $1)`,
    [ann.accountId],
  );
  expect(rowCount).toBe(1);
  expect(await deleteOldOutcomes(service.database, 180)).toBe(1);
  expect(await outcomesOf(ann)).toHaveLength(1);
  expect((await cellsOf(service, ann.accountId)).kept).toMatchObject([{ outcomes: 2, bounced: 2 }]);
});

test("complaints are kept", async () => {
  const ann = await service.openAccount();
  await remember(service, ann.accountId, [{ email: "eve@shop.io", subStatus: "", provider: "other" }]);
  const occurred_at = new Date(Date.now() - 400 * 86_400_000).toISOString();
  const answer = await tell(ann, { email: "eve@shop.io", outcome: "complained", occurred_at });
  expect(answer.body).toMatchObject({ stored: 1, ignored: 0 });
  await deleteOldOutcomes(service.database, 180);
  await expect.poll(async () => (await check(ann, "eve@shop.io")).safe_to_send).toBe(false);
  const { body: report } = await service.ask("/feedback/report", { key: ann.key });
  expect(report.totals.complained).toBe(0); // which is of the last 180 days
});

test("neither addresses nor equal hashes are stored", async () => {
  const people = [await service.openAccount(), await service.openAccount()];
  for (const who of people) await tell(who, { email: "dee@shop.io", outcome: "bounced" });
  const { rows } = await service.database.pool.query(
    "select encode(address_hash, 'hex') as hash, outcomes::text as text from outcomes where account_id = any($1)",
    [people.map(({ accountId }) => accountId)],
  );
  expect(JSON.stringify(rows)).not.toContain("@");
  expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2);
});

test("an account over the limit keeps its newest outcomes, and others are not affected", async () => {
  const [ann, bob] = [await service.openAccount(), await service.openAccount()];
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  for (const [n, who] of [ann, ann, ann, bob].entries()) {
    await tell(who, { email: `n${n}@shop.io`, outcome: "delivered", occurred_at: hoursAgo(9 - n) });
  }
  await deleteSurplusOutcomes(service.database, 2);
  expect(await outcomesOf(bob)).toHaveLength(1);
  expect(await outcomesOf(ann)).toHaveLength(2);
  const { rows } = await service.database.pool.query(
    "select min(reported_at) as oldest from outcomes where account_id = $1",
    [ann.accountId],
  );
  expect(rows[0].oldest.toISOString() > hoursAgo(8.5)).toBe(true);
});
