/**
 * Every POST that honours Idempotency-Key under faults: requests are sent completely or partly, disconnected before, during
 * and after the response, repeated, and the executing process is killed. In the end each has had its effect exactly once,
 * and all responses that a client has read are equal.
 */
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { randomFrom } from "../chaos/random.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { openTestDatabase } from "./database.ts";
import { honoursIdempotencyKeys } from "./endpoint-requests.ts";
import { ENDPOINTS, HOOK } from "./endpoints.ts";
import { openProgramInstallation, type Program } from "./program.ts";
import { formWith, openService, type TestAccount, type TestService, urlOf } from "./service.ts";

const SEED = Date.now() % 1_000_000;
const PEOPLE = 3;
const KILLS = 4;
const CREDITS = 1_000;
const NOTE = "property";

/**
 * They need a web server, a planned or completed job, or an account that they change as a whole:
 * idempotency-endpoints.test.ts repeats each of them, without kills.
 */
const TRIED_ELSEWHERE = [
  "POST /bulk/upload/link",
  "POST /bulk/jobs/{job_id}/finish",
  "POST /bulk/jobs/{job_id}/recheck",
  "POST /operator/accounts/{account_id}/invitation",
  "POST /operator/accounts/{account_id}/suspend",
  "POST /operator/accounts/{account_id}/resume",
  "POST /operator/accounts/{account_id}/email",
  "POST /operator/accounts/{account_id}/end-sessions",
  "POST /operator/accounts/{account_id}/erase",
  "POST /operator/jobs/{job_id}/pause",
  "POST /operator/jobs/{job_id}/resume",
  "POST /operator/jobs/{job_id}/cancel",
];

type Item = {
  name: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Every complete successful response. */
  responses: Set<string>;
};

test(`effects happen exactly once and responses are equal (seed ${SEED})`, async () => {
  const random = randomFrom(SEED);
  await using database = await openTestDatabase();
  await using service = await openService({ database, env: { ROLE: "api" } });
  await using programs = openProgramInstallation();
  const start = () =>
    programs.start({
      DATABASE_URL: urlOf(database),
      DATA_DIR: database.dataDirectory,
      ROLE: "api",
      EGRESS_ALLOW: "127.0.0.0/8",
      LOG_LEVEL: "error",
    });
  let running: Promise<Program> = start();

  const people: TestAccount[] = [];
  for (let n = 0; n < PEOPLE; n++) people.push(await service.openAccount({ credits: CREDITS }));
  const prepared = [];
  for (const account of people) prepared.push(await prepare(service, account));
  const items = prepared.flatMap(({ items: own }) => own);
  const tried = new Set([...items.map(({ name }) => name), ...TRIED_ELSEWHERE]);
  expect(tried).toEqual(new Set(ENDPOINTS.filter(honoursIdempotencyKeys).map(({ name }) => name)));

  // Kills happen between sends, so that they depend on progress and not on the clock.
  let sent = 0;
  let kills = 0;
  const sendings = items.length * 3;
  const send = async (item: Item) => {
    if (++sent >= ((kills + 1) * sendings) / (KILLS + 1) && kills < KILLS) {
      kills++;
      const victim = await running;
      running = delay(random() * 20).then(async () => {
        victim.child.kill("SIGKILL");
        await victim.exit();
        return start();
      });
      return sendAndCut(victim.url, item, random); // to the process that is about to be killed
    }
    return sendAndCut((await running).url, item, random);
  };

  await Promise.all(
    items.map(async (item) => {
      for (let n = 0; n < 3; n++) await send(item);
    }),
  );
  const { url } = await running;
  expect(kills).toBe(KILLS);
  for (const item of items) {
    // A key of a killed process can be taken over once its lease has expired. Requests that were cut off may still be
    // executed, and take slots of their account.
    for (;;) {
      const response = await exchange(url, item, "never");
      if (response && response.status < 300) break;
      expect([item.name, response?.status, response?.text]).toEqual([
        item.name,
        expect.toBeOneOf([409, 429]),
        expect.stringMatching(/"(idempotency_in_flight|rate_limited)"/),
      ]);
      await delay(200); // timing: between two attempts
    }
    await exchange(url, item, "never");
    expect([item.name, item.responses.size]).toEqual([item.name, 1]);
  }
  for (const { check } of prepared) await check();
  await expectBooksToAddUp(database);
});

/** One request to each endpoint on objects of its own, and the state expected after each was executed once. */
async function prepare(service: TestService, account: TestAccount) {
  const { pool } = service.database;
  const { accountId, key, cookie } = account;
  const byKey = { "x-api-key": key };
  const items: Item[] = [];
  const add = async (
    name: string,
    credential: Record<string, string>,
    body: unknown,
    ids: Record<string, string> = {},
  ) => {
    const path = name.replace("POST ", "").replaceAll(/\{(\w+)\}/g, (_, id: string) => ids[id]!);
    const init =
      body instanceof FormData ? { body } : { body: body === undefined ? "" : JSON.stringify(body) };
    const request = new Request("http://localhost", { method: "POST", ...init });
    const type = body instanceof FormData ? request.headers.get("content-type")! : "application/json";
    const headers = {
      ...credential,
      "idempotency-key": randomUUID(),
      ...(body === undefined ? {} : { "content-type": type }),
    };
    const item = {
      name,
      path,
      headers,
      body: Buffer.from(await request.arrayBuffer()),
      responses: new Set<string>(),
    };
    items.push(item);
    return item;
  };
  const upload = async () => {
    const form = formWith("email\nvalid@mailvet.test\n", "prepared.csv");
    return (await service.ask("/bulk/upload/preview", { key, form })).body.upload_id as string;
  };
  const job = async (status: string) => {
    const body = { upload_id: await upload(), email_column: "email" };
    const { id } = (await service.ask("/bulk/upload/confirm", { key, body })).body;
    await pool.query("update jobs set status = $2, paused_at = now() where id = $1", [id, status]);
    return id as string;
  };
  const hook = (await service.ask("/webhooks", { key, body: { url: HOOK } })).body;
  const delivery = (await service.ask(`/webhooks/${hook.id}/test`, { key, method: "POST" })).body.id;
  await pool.query("update webhook_deliveries set state = 'failed' where id = $1", [delivery]);
  await pool.query("delete from tasks where subject = $1", [delivery]);
  const uploadId = await upload();
  const jobs = { cancel: await job("queued"), pause: await job("processing"), resume: await job("paused") };
  const atHook = { webhook_id: hook.id as string, delivery_id: delivery as string };
  const { rows: before } = await pool.query("select balance from balances where account_id = $1", [
    accountId,
  ]);

  await add("POST /validation/single", byKey, { email: "valid@mailvet.test" });
  await add("POST /validation/bulk", byKey, { emails: ["valid+1@mailvet.test", "valid+2@mailvet.test"] });
  await add("POST /bulk/upload/preview", byKey, formWith("email\nvalid@mailvet.test\n", `${NOTE}.csv`));
  await add("POST /bulk/upload/confirm", byKey, { upload_id: uploadId, email_column: "email" });
  for (const move of ["cancel", "pause", "resume"] as const) {
    await add(`POST /bulk/jobs/{job_id}/${move}`, byKey, undefined, { job_id: jobs[move] });
  }
  await add("POST /webhooks", byKey, { url: HOOK, description: NOTE });
  const rotation = await add("POST /webhooks/{webhook_id}/rotate-secret", byKey, undefined, atHook);
  await add("POST /webhooks/{webhook_id}/test", byKey, undefined, atHook);
  await add("POST /webhooks/{webhook_id}/deliveries/{delivery_id}/replay", byKey, undefined, atHook);
  await add("POST /keys", { cookie }, { name: NOTE });
  const asOperator = { cookie: await service.operatorCookie() };
  await add(
    "POST /operator/accounts/{account_id}/grants",
    asOperator,
    { amount: 7, note: NOTE },
    { account_id: accountId },
  );

  await add("POST /bulk/jobs", byKey, { emails: ["valid@mailvet.test"], name: `${NOTE}-list` });
  const label = `${NOTE} ${accountId}`;
  await add("POST /operator/keys", asOperator, { name: label, scopes: ["system:read"] });
  const invited = `${accountId}@team.example`;
  await add("POST /operator/accounts", asOperator, { email: invited });

  const check = async () => {
    const values = [accountId, NOTE, hook.id, delivery, uploadId, label, invited];
    const { rows } = await pool.query(EFFECTS, values);
    const [rotated] = [...rotation.responses].map((text) => JSON.parse(text));
    expect(rows[0]).toEqual({
      keys: 1,
      hooks: 1,
      deliveries: 5, // two tests, one of them prepared; job.cancelled, job.paused, api_key.created
      replays: 1,
      uploads: 1,
      jobs: 1,
      grants: 1,
      lists: 1,
      operator_keys: 1,
      invited: 1,
      secret: rotated.secret,
      previous_secret: hook.secret,
      spent: 3,
      reserved: 4, // for the jobs that are confirmed, paused, resumed and sent as JSON; the cancelled one released its credit
    });
    const { rows: states } = await pool.query("select id, status from jobs where id = any($1)", [
      Object.values(jobs),
    ]);
    expect(Object.fromEntries(states.map(({ id, status }) => [id, status]))).toEqual({
      [jobs.cancel]: "cancelled",
      [jobs.pause]: "paused",
      [jobs.resume]: "processing",
    });
    const { balance } = await (await service.ask("/credits", { key })).body;
    expect(balance).toBe(before[0].balance + 7 - 3 - 1 - 1 + 1);
  };
  return { items, check };
}

const EFFECTS = `
select
  (select count(*)::int from api_keys where account_id = $1 and name = $2) as keys,
  (select count(*)::int from webhook_endpoints where account_id = $1 and description = $2) as hooks,
  (select count(*)::int from webhook_deliveries where endpoint_id = $3) as deliveries,
  (select count(*)::int from tasks where queue = 'delivery' and subject = $4::text) as replays,
  (select count(*)::int from uploads where account_id = $1 and filename = $2 || '.csv') as uploads,
  (select count(*)::int from jobs where upload_id = $5) as jobs,
  (select count(*)::int from ledger where account_id = $1 and kind = 'grant' and reference = $2) as grants,
  (select count(*)::int from jobs where account_id = $1 and filename = $2 || '-list') as lists,
  (select count(*)::int from operator_keys where name = $6) as operator_keys,
  (select count(*)::int from accounts where email = $7) as invited,
  (select secret from webhook_endpoints where id = $3) as secret,
  (select previous_secret from webhook_endpoints where id = $3) as previous_secret,
  (select coalesce(sum(-amount), 0)::int from ledger where account_id = $1 and kind in ('settle', 'refund')) as spent,
  (select reserved::int from balances where account_id = $1) as reserved`;

const CUTS = ["while sending", "after sending", "at the first byte", "never", "never"] as const;
type Cut = (typeof CUTS)[number];

async function sendAndCut(url: string, item: Item, random: () => number): Promise<void> {
  await exchange(url, item, CUTS[Math.floor(random() * CUTS.length)]!);
}

/** Undefined without a complete response. */
function exchange(url: string, item: Item, cut: Cut): Promise<{ status: number; text: string } | undefined> {
  const { path, headers, body } = item;
  const head = Object.entries({
    host: "localhost",
    connection: "close",
    "content-length": String(body.length),
    ...headers,
  });
  const bytes = Buffer.concat([
    Buffer.from(
      `POST /api/v1${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
    ),
    body,
  ]);
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      const part =
        cut === "while sending" ? bytes.subarray(0, bytes.length - 1 - Math.floor(body.length / 2)) : bytes;
      socket.write(part, () => {
        if (cut === "while sending" || cut === "after sending") socket.destroy();
      });
    });
    socket.setEncoding("utf8").on("data", (chunk) => {
      received += chunk;
      if (cut === "at the first byte") socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      const [top = "", text] = received.split("\r\n\r\n", 2);
      const length = Number(/^content-length: (\d+)/im.exec(top)?.[1] ?? 0);
      if (text === undefined || Buffer.byteLength(text) < length) return resolve(undefined);
      const status = Number(top.split(" ")[1]);
      if (status < 300) item.responses.add(`${status} ${text}`.slice(4));
      resolve({ status, text });
    });
  });
}
