/** What a request of an operator key has done, as its answer and the database show. */
import { expect, vi } from "vitest";
import { requestTo } from "./endpoint-requests.ts";
import type { Endpoint } from "./endpoints.ts";
import { PATIENCE } from "./patience.ts";
import { must, type TestAccount, type TestService } from "./service.ts";
import { unzip } from "./unzip.ts";

/** Whose account a request is about. */
export const OWNERS = ["a customer", "an operator"] as const;
export type Owner = (typeof OWNERS)[number];
export type Effect =
  | "opens an account"
  | "mints credits"
  | "returns an invitation"
  | `${"changes" | "names" | "reads results of"} ${Owner}`;

/** With a finished job. */
export type Target = TestAccount & { owner: Owner; resultMark: string; jobId: string };

let targets = 0;

export async function openTarget(service: TestService, owner: Owner): Promise<Target> {
  const account = await service.openAccount();
  const { accountId, key } = account;
  const resultMark = `mark${++targets}`;
  const body = { emails: [`valid+${resultMark}@mailvet.test`] };
  const { id: jobId } = (await must(service.ask("/bulk/jobs", { key, body }))).body;
  await vi.waitFor(
    async () => expect((await service.ask(`/bulk/jobs/${jobId}`, { key })).body.status).toBe("completed"),
    PATIENCE,
  );
  if (owner === "an operator")
    await service.database.pool.query("update accounts set is_operator = true where id = $1", [accountId]);
  return { ...account, owner, resultMark, jobId };
}

/** Requests that would have the effects of an endpoint, if it has any. Without a row: that of endpoints.ts. */
type Trial = { body?: unknown; prepare?: string; path?: string };
const trialsOf = (endpoint: Endpoint, { email, jobId }: Target): Trial[] => {
  const newcomer = () => `newcomer${++targets}@team.example`;
  const ofJob = (status: string) => ({
    path: endpoint.path.replace("{job_id}", jobId),
    prepare: `update jobs set status = '${status}' where account_id = $1`,
  });
  const trials: Readonly<Record<string, Trial[]>> = {
    "POST /operator/accounts": [
      { body: { email: newcomer() } },
      { body: { email: newcomer(), credits: 1_000_000_000, plan: "enterprise" } },
    ],
    "PATCH /operator/accounts/{account_id}": [{ body: { plan: "free" } }],
    "POST /operator/accounts/{account_id}/grants": [{ body: { amount: 7 } }, { body: { amount: -7 } }],
    "POST /operator/accounts/{account_id}/invitation": [
      { prepare: "update accounts set password_hash = null where id = $1" },
    ],
    "POST /operator/accounts/{account_id}/resume": [
      { prepare: "update accounts set suspended_at = now(), suspended_reason = 'unpaid' where id = $1" },
    ],
    "POST /operator/accounts/{account_id}/email": [{ body: { email: newcomer(), confirm: false } }],
    "POST /operator/accounts/{account_id}/erase": [{ body: { email, reason: "requested" } }],
    "POST /operator/jobs/{job_id}/pause": [ofJob("processing")],
    "POST /operator/jobs/{job_id}/resume": [ofJob("paused")],
    "POST /operator/jobs/{job_id}/cancel": [ofJob("paused")],
  };
  return trials[endpoint.name] ?? [{}];
};

/** Of this request with each of the keys. */
export async function effectsOf(
  service: TestService,
  endpoint: Endpoint,
  keys: readonly string[],
  target: Target,
): Promise<Set<Effect>> {
  const effects = new Set<Effect>();
  for (const { body, prepare, path = endpoint.path } of trialsOf(endpoint, target)) {
    if (prepare) await service.database.pool.query(prepare, [target.accountId]);
    const before = await stateOf(service, target.accountId);
    const ids = { account_id: target.accountId };
    const request = requestTo({ ...endpoint, path, query: "", ...(body ? { body } : {}) }, ids);
    for (const key of keys) {
      const { text, status } = await send(service, key, request);
      if (status >= 400) continue;
      if (text.includes("reset-password?invitation")) effects.add("returns an invitation");
      if (text.includes(target.email)) effects.add(`names ${target.owner}`);
      if (text.includes(target.resultMark)) effects.add(`reads results of ${target.owner}`);
    }
    const after = await stateOf(service, target.accountId);
    if (after.accounts > before.accounts) effects.add("opens an account");
    if (after.credits > before.credits) effects.add("mints credits");
    if (after.rows !== before.rows) effects.add(`changes ${target.owner}`);
  }
  return effects;
}

/** The answer as text, a ZIP file unpacked. */
async function send({ url }: TestService, key: string, { path, asked }: ReturnType<typeof requestTo>) {
  const { method = "GET", body } = asked;
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const { status } = response;
  const content = Buffer.from(await response.arrayBuffer());
  const isZip = response.headers.get("content-type") === "application/zip";
  return { status, text: isZip ? [...unzip(content).values()].join("\n") : content.toString() };
}

/** Change with every request, are about requests, or settle some time after a task. */
const NOT_COMPARED = [
  "audit_entries",
  "request_buckets",
  "requests_in_progress",
  "idempotent_responses",
  "queue_shares",
  "account_exports",
];
const NOT_COMPARED_COLUMNS = "'{last_seen_at,last_used_at}'::text[]";

/** All rows of the account, and sums of the installation. */
async function stateOf({ database: { pool } }: TestService, accountId: string) {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and column_name = 'account_id' and table_type = 'BASE TABLE' and table_name <> all($1)
     order by 1`,
    [NOT_COMPARED],
  );
  const rowsOf = (name: string, column: string) =>
    `select '${name}' as name, to_jsonb(t) - ${NOT_COMPARED_COLUMNS} as row from ${name} t where t.${column} = $1`;
  const all = [rowsOf("accounts", "id"), ...tables.map(({ name }) => rowsOf(name, "account_id"))].join(
    " union all ",
  );
  const { rows } = await pool.query<{ rows: string }>(
    `select coalesce(string_agg(name || row::text, ' ' order by name, row::text), '') as rows from (${all}) as found`,
    [accountId],
  );
  const sums = await pool.query<{ accounts: number; credits: number }>(
    "select (select count(*)::int from accounts) as accounts, (select coalesce(sum(balance), 0)::float from balances) as credits",
  );
  return { ...sums.rows[0]!, rows: rows[0]!.rows };
}
