/** The ledger in lines, and as CSV, over HTTP. */
import type { LedgerEntry } from "@mailvet/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cellsOf, listsOf } from "./jobs-http-world.ts";
import { testOnOneDay } from "./one-day.ts";
import { openService, type TestService } from "./service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service[Symbol.asyncDispose]());

const today = () => new Date().toISOString().slice(0, 10);
const dateOf = ({ created_at }: Pick<LedgerEntry, "created_at">) => created_at.slice(0, 10);

testOnOneDay(
  "one line per job, per day and key for checks, and per grant; entries on demand; CSV",
  async () => {
    const ann = await service.openAccount({ credits: 100 });
    const { begin, ended, ask } = listsOf(service, ann);
    const second = await ann.makeKey();
    for (const name of ["valid", "internal-error", "catch-all"])
      await ask(`/validation/single?email=${name}@mailvet.test`);
    await ask("/validation/single?email=real@mailvet.test", { key: second.key });
    await service.ask("/validation/single", { cookie: ann.cookie, body: { email: "not-an-address" } });
    const job = await ended((await begin("email\nvalid@mailvet.test\negress-blocked@mailvet.test\n")).id);

    const { body, headers } = await ask("/credits/statement");
    const keyOf = async (text: string) =>
      (await service.ask("/keys", { cookie: ann.cookie })).body.find(({ prefix }: { prefix: string }) =>
        text.startsWith(prefix),
      ).id;
    expect(headers.get("x-total-count")).toBe("5");
    const afterLast = await ask("/credits/statement?skip=5");
    expect([afterLast.body.lines, afterLast.headers.get("x-total-count")]).toEqual([[], "5"]);
    expect(body.lines).toMatchObject([
      { kind: "job", reference: job.id, charged: 2, refunded: 1, granted: 0, reserved: 0, entries: 3 },
      { kind: "checks", reference: null, key_id: null, charged: 1, refunded: 0 },
      { kind: "checks", reference: null, key_id: await keyOf(second.key), charged: 1, refunded: 0 },
      { kind: "checks", reference: null, key_id: await keyOf(ann.key), charged: 3, refunded: 1 },
      { kind: "grant", charged: 0, refunded: 0, granted: 100, entries: 1 },
    ]);
    const { body: credits } = await ask("/credits");
    const net = body.lines.reduce(
      (sum: number, line: { granted: number; refunded: number; charged: number }) =>
        sum + line.granted + line.refunded - line.charged,
      0,
    );
    expect(net).toBe(credits.balance);

    const { body: entries, headers: counted } = await ask(`/credits?reference=${job.id}`);
    expect(counted.get("x-total-count")).toBe("3");
    expect(entries.ledger.map(({ kind }: { kind: string }) => kind)).toEqual(["refund", "settle", "reserve"]);
    expect((await ask("/credits?date=2020-01-01")).body.ledger).toEqual([]);
    const date = dateOf(credits.ledger[0]);
    const ofDate = credits.ledger.filter((entry: LedgerEntry) => dateOf(entry) === date);
    expect((await ask(`/credits?date=${date}&limit=100`)).body.ledger).toEqual(ofDate);

    expect((await ask("/credits/statement?kind=job")).body.lines).toHaveLength(1);
    const csv = await ask("/credits/statement?format=csv", { headers: { accept: "application/json" } });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    const rows = cellsOf(csv.text);
    expect(rows[0]!.slice(0, 4)).toEqual(["kind", "date", "key_id", "reference"]);
    expect(rows.slice(1).map(([kind]) => kind)).toEqual(["job", "checks", "checks", "checks", "grant"]);
  },
);

test("the reservation of a check that has ended is in no line", async () => {
  const ann = await service.openAccount({ credits: 5 });
  await service.ask("/validation/single", { cookie: ann.cookie, body: { email: "not-an-address" } });
  const { body } = await service.ask("/validation/single?email=ann@not-contacted.com", { key: ann.key });
  expect(body.status).toBe("unknown"); // not from the sandbox, so a credit was reserved first
  const { lines } = (await service.ask("/credits/statement?kind=checks", { key: ann.key })).body;
  expect(lines).toMatchObject([{ reserved: 0 }, { key_id: null, charged: 1, reserved: 0, entries: 1 }]);
});

test("usage as CSV has a row per day and key", async () => {
  const ann = await service.openAccount({ credits: 5 });
  const before = today();
  await service.ask("/validation/single?email=valid@mailvet.test", { key: ann.key });
  const { text, headers } = await service.ask("/usage?format=csv", { key: ann.key });
  expect(headers.get("content-type")).toMatch(/^text\/csv/);
  const [header, row, ...rest] = cellsOf(text);
  expect(header).toEqual(["date", "key_id", "valid", "invalid", "risky", "unknown", "credits_used"]);
  expect([before, today()]).toContain(row![0]);
  expect(row!.slice(2)).toEqual(["1", "0", "0", "0", "1"]);
  expect(rest).toEqual([]);
});
