/** The audit log over HTTP: who may read what, pages, export and retention. What is recorded: audit-actions.test.ts. */
import type { AuditEntry } from "@mailvet/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAuditLog } from "../src/audit/audit-log.ts";
import { recordAudit, SYSTEM } from "../src/audit/audit-writer.ts";
import { type Answer, must, OPERATOR, openService, type TestService } from "./service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
beforeEach(async () => {
  await service.database.pool.query("delete from attempts"); // many sign up from one network
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

test("a sign-in to an unknown account is recorded without the email, for operators only", async () => {
  await service.ask("/auth/sign-in", {
    body: { email: "ghost@team.example", password: "a guess" },
    from: "2001:db8::7",
  });
  const { body } = await asOperator("/operator/audit?action=sign_in.failed&limit=1");
  expect(body).toMatchObject([
    { account_id: null, account_email: null, actor: { kind: "anonymous" }, network: "2001:db8:0:0::/64" },
  ]);
  expect(JSON.stringify(body)).not.toContain("ghost");
});

test("an operator sees the entries of all accounts with their emails, or those of one", async () => {
  const [ann, bob] = [await service.openAccount(), await service.openAccount()];
  const { accountId, email } = ann;
  const { body: anns } = await asOperator(`/operator/audit?account_id=${accountId}&action=credits.granted`);
  expect(anns).toMatchObject([
    {
      account_id: accountId,
      account_email: email,
      actor_email: OPERATOR.email,
      actor: { kind: "session", is_operator: true },
      network: "127.0.0.1",
      details: { amount: 100 },
    },
  ]);
  const { body: everyone } = await asOperator("/operator/audit?action=credits.granted&limit=2");
  expect(everyone.map((entry: AuditEntry) => entry.account_id)).toEqual([bob.accountId, accountId]);
});

test("entries cannot be changed", async () => {
  await expect(service.database.pool.query("update audit_entries set action = 'sign_out'")).rejects.toThrow(
    "not changed",
  );
});

describe("pages", () => {
  test("follow each other without gaps or repetition, while entries are added", async () => {
    const { accountId, cookie } = await service.openAccount();
    await write(accountId, 25);
    const seen: AuditEntry[] = [];
    let path: string | undefined = "/audit?action=job.deleted&limit=10";
    for (let pages = 0; path !== undefined; pages++) {
      expect(pages).toBeLessThan(4);
      const answer: Answer = await must(service.ask(path, { cookie }));
      seen.push(...answer.body);
      path = /<\/api\/v1(.*)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
      await write(accountId, 1);
    }
    expect(seen.map(({ details }) => details.number)).toEqual(Array.from({ length: 25 }, (_, n) => 24 - n));
  });

  test("after an entry of another account there is nothing", async () => {
    const [ann, bob] = [await service.openAccount(), await service.openAccount()];
    const [{ id }] = (await must(service.ask("/audit", { cookie: bob.cookie }))).body;
    expect((await must(service.ask(`/audit?before=${id}`, { cookie: ann.cookie }))).body).toEqual([]);
  });

  test("can be limited to days", async () => {
    const { accountId, cookie } = await service.openAccount();
    await write(accountId, 3, ["2026-03-01T00:00:00Z", "2026-03-02T23:59:59.999Z", "2026-03-03T00:00:00Z"]);
    const numbers = async (query: string) =>
      (await must(service.ask(`/audit?action=job.deleted&${query}`, { cookie }))).body.map(
        ({ details }: AuditEntry) => details.number,
      );
    expect(await numbers("from=2026-03-01&to=2026-03-02")).toEqual([1, 0]);
    expect(await numbers("from=2026-03-02&to=2026-03-02")).toEqual([1]);
    expect(await numbers("from=2026-03-03")).toEqual([2]);
    expect(await numbers("to=2026-02-28")).toEqual([]);
  });
});

describe("the CSV export", () => {
  test("has all entries of the account, more than a batch, and no formulas", async () => {
    const { accountId, cookie } = await service.openAccount();
    await write(accountId, 2_345);
    await recordAudit(service.database.pool, SYSTEM, {
      action: "job.deleted",
      accountId,
      details: { name: '=HYPERLINK("x"), "quoted"' },
    });
    const { text, headers } = await must(service.ask("/audit/export?action=job.deleted", { cookie }));
    expect(headers.get("content-type")).toContain("text/csv");
    expect(headers.get("content-disposition")).toContain("audit-log.csv");
    const lines = text.trimEnd().split("\r\n");
    expect(lines[0]).toMatch(/^created_at,action,account_id/);
    expect(lines).toHaveLength(1 + 2_346);
    expect(lines.slice(1).every((line) => line.includes(accountId))).toBe(true);
    expect(lines[2]).toContain('{""number"":2344}');
  });

  test("of the operator has the entries of all accounts, with emails", async () => {
    const { email } = await service.openAccount();
    const { text } = await asOperator("/operator/audit/export?action=account.created");
    expect(text).toContain(email);
    expect(text).toContain("person1@team.example");
  });
});

test("entries older than the retention are deleted, in batches, and no others", async () => {
  const { accountId } = await service.openAccount();
  const { pool } = service.database;
  const before = await entriesOf(accountId);
  const old = new Date(Date.now() - 31 * DAY_MS).toISOString();
  const recent = new Date(Date.now() - 29 * DAY_MS).toISOString();
  await write(accountId, 1_501, [...Array(1_500).fill(old), recent]);
  const auditLog = createAuditLog({ database: service.database, retentionDays: 30 });
  const { rows } = await pool.query(
    "select count(*) as old from audit_entries where created_at < now() - interval '30 days'",
  );
  expect(await auditLog.deleteOld()).toBe(rows[0].old);
  expect(await entriesOf(accountId)).toHaveLength(before.length + 1);
  expect(await auditLog.deleteOld()).toBe(0);
});

const DAY_MS = 24 * 60 * 60 * 1000;

function entriesOf(accountId: string): Promise<AuditEntry[]> {
  return createAuditLog({ database: service.database, retentionDays: 1 }).page({ accountId, limit: 100 });
}

/** Numbered entries, now or at these times. */
async function write(accountId: string, count: number, times?: readonly string[]): Promise<void> {
  await service.database.pool.query(
    `insert into audit_entries (action, account_id, actor_kind, is_operator, details, created_at)
     select 'job.deleted', $1, 'system', false, jsonb_build_object('number', n),
       coalesce(($3::timestamptz[])[n + 1], clock_timestamp())
     from generate_series(0, $2 - 1) as n order by n`,
    [accountId, count, times ?? []],
  );
}

async function asOperator(path: string): Promise<Answer> {
  return must(service.ask(path, { cookie: await service.operatorCookie() }));
}
