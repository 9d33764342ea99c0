/** The tools of the Model Context Protocol, with the SDK's own client: over HTTP, and over stdio through the command line. */
import { fileURLToPath } from "node:url";
import { PROBLEMS } from "@mailvet/contract";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listsOf } from "./jobs-http-world.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

const CLI = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));

let lab: Lab;
let service: TestService;
let ann: TestAccount;
beforeAll(async () => {
  lab = await openLab({ "shop.test": mailDomain({ users: ["ann", "postmaster"] }) });
  service = await openService({ lab });
  ann = await service.openAccount({ credits: 100 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

const transports = {
  "over HTTP": (key: string) =>
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  "over stdio": (key: string) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, "mcp"],
      env: { MAILVET_SERVICE: service.url, MAILVET_API_KEY: key },
    }),
};

async function connect(way: keyof typeof transports, key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transports[way](key) as Parameters<Client["connect"]>[0]);
  onTestFinished(() => client.close());
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape
async function call(client: Client, name: string, input: object): Promise<any> {
  const result = (await client.callTool({ name, arguments: { ...input } })) as CallToolResult;
  expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
  return result.structuredContent;
}

async function refusal(client: Client, name: string, input: object): Promise<string> {
  const result = (await client.callTool({ name, arguments: { ...input } })) as CallToolResult;
  expect(result.isError).toBe(true);
  return (result.content[0] as { text: string }).text;
}

const balanceOf = async ({ cookie }: TestAccount) => (await service.ask("/credits", { cookie })).body.balance;

/** A message as it is sent, without the client. */
const post = (headers: Record<string, string>, body: unknown) =>
  fetch(`${service.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

describe.for(["over HTTP", "over stdio"] as const)("%s", (way) => {
  test("checks and domains are answered and charged as by the API", async () => {
    const account = await service.openAccount({ credits: 100 });
    const client = await connect(way, account.key);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(7);
    expect(await call(client, "check", { email: "ann@shop.test" })).toMatchObject({ status: "valid" });
    expect(await balanceOf(account)).toBe(99);
    const emails = ["ann@shop.test", "bob@shop.test", "ann@shop.test"];
    expect(await call(client, "check_many", { emails })).toMatchObject({
      valid_count: 1,
      invalid_count: 1,
      duplicate_count: 1,
      credits_used: 2,
    });
    expect(await call(client, "domain", { domain: "shop.test" })).toMatchObject({ provider: "other" });
    expect(await balanceOf(account)).toBe(96);
    expect(await call(client, "explain_reply", { reply: "552 5.2.2 Mailbox full" })).toMatchObject({
      meaning: "mailbox_full",
    });
    expect(await balanceOf(account)).toBe(96);
  });

  test("a job is started, followed and read in pages", async () => {
    const client = await connect(way, ann.key);
    const emails = ["ann@shop.test", "bob@shop.test", "eve@shop.test"];
    const { id: job_id, filename } = await call(client, "start_job", { emails, name: "leads" });
    expect(filename).toBe("leads");
    await expect.poll(async () => (await call(client, "job_status", { job_id })).status).toBe("completed");
    const first = await call(client, "job_results", { job_id, limit: 2 });
    expect(first).toMatchObject({ total: 3, next_after_row: 2 });
    const rest = await call(client, "job_results", { job_id, limit: 2, after_row: first.next_after_row });
    expect(rest.next_after_row).toBeNull();
    const results = [...first.results, ...rest.results];
    expect(results.map(({ email, status }) => [email, status])).toEqual([
      ["ann@shop.test", "valid"],
      ["bob@shop.test", "invalid"],
      ["eve@shop.test", "invalid"],
    ]);
    const invalid = await call(client, "job_results", { job_id, status: "invalid" });
    expect(invalid.total).toBe(2);
  });

  test("results of several email columns are read in pages", async () => {
    const client = await connect(way, ann.key);
    const lists = listsOf(service, ann);
    const rows = ["1", "2"].map((n) => [`valid+w${n}@mailvet.test`, `valid+h${n}@mailvet.test`]);
    const { upload_id } = await lists.upload(`work,home\n${rows.join("\n")}\n`);
    const body = { upload_id, email_column: "work", more_email_columns: ["home"] };
    const { body: job } = await lists.ask("/bulk/upload/confirm", { body });
    await lists.ended(job.id);
    const seen: string[] = [];
    for (let after_row: number | null = 0; after_row !== null && seen.length < 6; ) {
      const page = await call(client, "job_results", { job_id: job.id, limit: 3, after_row });
      seen.push(...page.results.map(({ email }: { email: string }) => email));
      after_row = page.next_after_row;
    }
    expect(seen).toEqual(rows.flat());
  });

  test("a test key uses the sandbox, and a job of the other mode does not exist", async () => {
    const { key } = await ann.makeKey({ mode: "test" });
    const before = await balanceOf(ann);
    const [sandbox, live] = [await connect(way, key), await connect(way, ann.key)];
    expect(await call(sandbox, "check", { email: "mailbox-full@shop.test" })).toMatchObject({
      sub_status: "mailbox_full",
      metadata: { sandbox: true },
    });
    const { id: job_id } = await call(sandbox, "start_job", { emails: ["valid@shop.test"] });
    expect(await refusal(live, "job_status", { job_id })).toMatch(/No job with this id/);
    expect(await refusal(live, "job_results", { job_id })).toMatch(/No job with this id/);
    expect(await balanceOf(ann)).toBe(before);
  });

  test("a job of another account does not exist", async () => {
    const eve = await service.openAccount();
    const { id: job_id } = await call(await connect(way, ann.key), "start_job", {
      emails: ["ann@shop.test"],
    });
    const client = await connect(way, eve.key);
    const unknown = { job_id: crypto.randomUUID() };
    for (const tool of ["job_status", "job_results"])
      expect(await refusal(client, tool, { job_id })).toBe(await refusal(client, tool, unknown));
  });

  test("scopes, credits and limits refuse as tool errors, without a charge", async () => {
    const { key } = await ann.makeKey({ scopes: ["read"] });
    const reader = await connect(way, key);
    for (const [tool, input] of [
      ["check", { email: "ann@shop.test" }],
      ["check_many", { emails: ["ann@shop.test"] }],
      ["domain", { domain: "shop.test" }],
      ["start_job", { emails: ["ann@shop.test"] }],
    ] as const)
      expect(await refusal(reader, tool, input)).toMatch(/does not have the scope/);
    const poor = await service.openAccount({ credits: 0 });
    const client = await connect(way, poor.key);
    expect(await refusal(client, "check", { email: "ann@shop.test" })).toMatch(/credit/i);
    expect(await refusal(client, "start_job", { emails: ["ann@shop.test"] })).toMatch(/credit/i);
    expect(await balanceOf(poor)).toBe(0);
  });
});

test("a key is required, in X-API-Key or in Authorization", async () => {
  for (const headers of [{ "x-api-key": ann.key }, { authorization: `Bearer ${ann.key}` }]) {
    const answer = await post(headers, PING);
    expect([answer.status, await answer.json()]).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }]);
    expect(answer.headers.get("ratelimit")).toMatch(/^"plan"/);
  }
  const refused = async (headers: Record<string, string>) => {
    const answer = await post(headers, PING);
    const { code } = (await answer.json()) as { code: keyof typeof PROBLEMS };
    expect(answer.status).toBe(PROBLEMS[code][0]);
    return code;
  };
  expect(await refused({})).toBe("missing_api_key");
  expect(await refused({ authorization: "Bearer mv_live_unknown" })).toBe("invalid_api_key");
  expect(await refused({ "x-api-key": "mv_live_unknown" })).toBe("invalid_api_key");
  expect(await refused({ cookie: ann.cookie, origin: "https://elsewhere.example" })).toBe("origin_rejected");
  expect(await refused({ "x-api-key": ann.key, accept: "text/html" })).toBe("not_acceptable");
  const free = await service.openAccount({ plan: "free" });
  expect(await refused({ "x-api-key": free.key })).toBe("api_access_not_included");
});

test("one message per request: a batch, which could charge several times, is refused", async () => {
  const answer = await post({ "x-api-key": ann.key }, [PING, PING]);
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
    400,
    "malformed_request",
  ]);
});

test("a message with too many levels is refused, also under an Idempotency-Key", async () => {
  const levels = 100_000;
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
  for (const headers of [{}, { "idempotency-key": "deep" }]) {
    const answer = await post({ "x-api-key": ann.key, ...headers }, deep);
    expect(await answer.json()).toMatchObject({
      code: "malformed_request",
      detail: expect.stringContaining("levels"),
    });
  }
});

test("a message that is no JSON-RPC gets an error, a notification no content, and other methods 405", async () => {
  const key = { "x-api-key": ann.key };
  expect((await post(key, { hello: 1 })).status).toBe(400);
  const notification = await post(key, { jsonrpc: "2.0", method: "notifications/initialized" });
  expect([notification.status, await notification.text()]).toEqual([202, ""]);
  for (const method of ["GET", "DELETE"])
    expect((await fetch(`${service.url}/mcp`, { method, headers: key })).status).toBe(405);
});

test("a repeated Idempotency-Key is charged once", async () => {
  const account = await service.openAccount({ credits: 10 });
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "check", arguments: { email: "ann@shop.test" } },
  };
  const send = () => post({ "x-api-key": account.key, "idempotency-key": "one" }, message);
  const [first, second] = [await send(), await send()];
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(await second.text()).toBe(await first.text());
  expect(await balanceOf(account)).toBe(9);
});

test("a refusal is not replayed for its Idempotency-Key: the repetition is a new call", async () => {
  const { accountId, key } = await service.openAccount({ credits: 0 });
  const params = { name: "check", arguments: { email: "ann@shop.test" } };
  const send = async () => {
    const headers = { "x-api-key": key, "idempotency-key": "one" };
    const answer = await post(headers, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    return ((await answer.json()) as { result: CallToolResult }).result;
  };
  const [content] = (await send()).content;
  expect(content).toMatchObject({ text: expect.stringMatching(/^insufficient_credits: /) });
  const grant = { cookie: await service.operatorCookie(), body: { amount: 10 } };
  await service.ask(`/operator/accounts/${accountId}/grants`, grant);
  expect(await send()).toMatchObject({ structuredContent: { status: "valid" } });
});
