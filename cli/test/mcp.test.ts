/** mailvet mcp: the program as a client of the protocol uses it, with the SDK's own client. */
import { fileURLToPath } from "node:url";
import type { BulkSummary, DomainReport, ValidationResult } from "@mailvet/contract";
import { mailDomain, openLab } from "@mailvet/lab";
import { createMcpServer } from "@mailvet/mcp";
import { createClient } from "@mailvet/sdk";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../engine/test/until.ts";
import { bulkOf, type Handler, json, openScriptedService, problem } from "../../sdk/test/scripted-service.ts";
import { remoteBackend } from "../src/mcp/remote-backend.ts";
import { requireService } from "../src/remote/service.ts";
import { jsonLines, mailvet, startMailvet } from "./command.ts";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

async function connect(env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN, "mcp"], env, stderr: "inherit" }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** Structured content, which the client has compared with the output schema. */
async function call<T>(client: Client, name: string, input: object): Promise<T> {
  await client.listTools(); // the client learns the output schemas
  const result = (await client.callTool({ name, arguments: { ...input } })) as CallToolResult;
  expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
  expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(result.structuredContent);
  return result.structuredContent as T;
}

async function refusal(client: Client, name: string, input: object): Promise<string> {
  const result = (await client.callTool({ name, arguments: { ...input } })) as CallToolResult;
  expect(result.isError).toBe(true);
  return (result.content[0] as { text: string }).text;
}

const JOB_ID = "0b9a2f5e-6c1d-4e8f-9a3b-5d7c8e9f0a1b";

test("every tool has texts, bounded input and an output schema", async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "check",
    "check_many",
    "explain_reply",
    "domain",
    "start_job",
    "job_status",
    "job_results",
  ]);
  for (const { name, title, description = "", inputSchema, outputSchema } of tools) {
    expect(title, name).toBeTruthy();
    expect(description.length, name).toBeGreaterThan(50);
    expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
    expect(outputSchema, name).toMatchObject({ type: "object" });
    for (const property of Object.values<Record<string, unknown>>(inputSchema.properties as never)) {
      if (property.type === "array") expect(property, name).toHaveProperty("maxItems");
      if (property.type === "string" && !property.format) expect(property, name).toHaveProperty("maxLength");
    }
  }
});

test("without a service the local engine checks addresses and domains", async () => {
  await using lab = await openLab({ "shop.test": mailDomain({ users: ["ann", "postmaster"] }) });
  const client = await connect(lab.env);
  const valid = await call<ValidationResult>(client, "check", { email: "ann@shop.test" });
  expect(valid).toMatchObject({ status: "valid", metadata: { plan_tier: "local" } });
  const emails = ["ann@shop.test", "bob@shop.test", "Ann@Shop.test ", "no address"];
  const many = await call<BulkSummary>(client, "check_many", { emails });
  expect(many).toMatchObject({
    total: 4,
    valid_count: 1,
    invalid_count: 2,
    duplicate_count: 1,
    credits_used: 0,
  });
  expect(many.results.map(({ sub_status }) => sub_status)).toEqual(["", "mailbox_not_found", "syntax_error"]);
  const report = await call<DomainReport>(client, "domain", { domain: "shop.test" });
  expect(report).toMatchObject({ domain: "shop.test", catchall: { is_catchall: false } });
});

test("a reply is explained without a server", async () => {
  const client = await connect();
  const input = { reply: "450 4.2.0 Greylisted, try again in 300 seconds", stage: "rcpt" };
  expect(await call(client, "explain_reply", input)).toMatchObject({
    meaning: "greylisted",
    mailbox: "unknown",
    retry_after: 300,
  });
});

test("without a service the tools for jobs say what they need", async () => {
  const client = await connect();
  for (const [name, input] of [
    ["start_job", { emails: ["ann@shop.test"] }],
    ["job_status", { job_id: JOB_ID }],
    ["job_results", { job_id: JOB_ID }],
  ] as const) {
    expect(await refusal(client, name, input)).toMatch(/set MAILVET_SERVICE .* and MAILVET_API_KEY/);
  }
});

test("invalid input, and a domain that is none, are tool errors; an unknown tool is an error of the protocol", async () => {
  const client = await connect();
  expect(await refusal(client, "check", {})).toMatch(/^validation_failed: .*email/);
  expect(await refusal(client, "check", { email: "x".repeat(1_001) })).toMatch(/^validation_failed/);
  expect(await refusal(client, "check", { email: "a@b.example", surprise: 1 })).toMatch(/^validation_failed/);
  expect(await refusal(client, "check_many", { emails: Array(1_001).fill("a@b.example") })).toMatch(
    /^validation_failed/,
  );
  expect(await refusal(client, "job_status", { job_id: "1" })).toMatch(/^validation_failed/);
  expect(await refusal(client, "domain", { domain: "no domain" })).toMatch(/\w/);
  await expect(client.callTool({ name: "toString", arguments: {} })).rejects.toThrow(/no tool "toString"/);
});

test("with a service it is asked, and its refusal is a tool error with advice", async () => {
  await using service = await openScriptedService(problem(402, "insufficient_credits"));
  const client = await connect({ MAILVET_SERVICE: service.url, MAILVET_API_KEY: "mv_live_secret" });
  expect(await refusal(client, "check", { email: "ann@shop.io", level: "dns" })).toMatch(/credits/);
  expect(service.requests[0]).toMatchObject({ url: "/api/v1/validation/single", method: "POST" });
  expect(service.requests[0]!.headers["x-api-key"]).toBe("mv_live_secret");
  expect(JSON.parse(String(service.requests[0]!.body))).toEqual({ email: "ann@shop.io", level: "dns" });
  expect(await refusal(client, "domain", { domain: ".." })).toBe("Invalid ID: /domains/..");
  expect(service.requests).toHaveLength(1);
});

test("a service without a key is invalid usage", async () => {
  expect(await mailvet(["mcp", "--service", "http://127.0.0.1:1"])).toMatchObject({ code: 2, stdout: "" });
});

test("requests are answered after the client has closed its end, except those it has cancelled", async () => {
  const answers = new Map<string, () => void>();
  const whenTold: Handler = (response, request) =>
    void answers.set(JSON.parse(request.body).emails[0], () =>
      json(bulkOf(["ann@shop.io"]))(response, request),
    );
  await using service = await openScriptedService(whenTold);
  const program = startMailvet(["mcp"], { MAILVET_SERVICE: service.url, MAILVET_API_KEY: "mv_live_secret" });
  let stdout = "";
  program.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  const call = (id: number) => ({
    id,
    method: "tools/call",
    params: { name: "check_many", arguments: { emails: [`ann${id}@shop.io`] } },
  });
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const messages = [
    { id: 1, method: "initialize", params: client },
    { method: "notifications/initialized" },
    call(2),
    call(3),
    call(4),
    { method: "notifications/cancelled", params: { requestId: 4 } },
  ];
  program.stdin.end(messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join(""));
  await until(() => answers.has("ann2@shop.io") && answers.has("ann3@shop.io"));
  for (const answer of answers.values()) answer();
  const code = await new Promise((resolve) => program.on("close", resolve));
  expect(code).toBe(0);
  expect(
    jsonLines<{ id: number }>(stdout)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([1, 2, 3]);
});

test("a cancelled call ends its request to the service", async () => {
  let isClosed = false;
  const never: Handler = (response) => {
    response.on("close", () => {
      isClosed = true;
    });
  };
  await using service = await openScriptedService(never);
  const remote = requireService({ service: service.url, apiKey: "mv_live_secret" });
  // Not the program: the timeout of its client would end the request as well.
  const patient = createClient({ baseUrl: service.url, apiKey: "mv_live_secret", timeoutMs: 2 ** 31 });
  const backend = remoteBackend({ ...remote, client: patient });
  const server = createMcpServer({ version: "1.0.0", backend, onDefect: () => {} });
  const client = new Client({ name: "test", version: "1.0.0" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());

  const cancelling = new AbortController();
  const input = { name: "start_job", arguments: { emails: ["ann@shop.io"] } };
  const call = client.callTool(input, undefined, { signal: cancelling.signal });
  await until(() => service.requests.length === 1);
  cancelling.abort();
  await expect(call).rejects.toThrow("abort");
  await until(() => isClosed);
});

test.for(["true", "exec < /dev/null"])("it ends when its input does, after: %s", async (setup) => {
  expect(await mailvet(["mcp"], { setup })).toMatchObject({ code: 0, stdout: "", stderr: "" });
});
