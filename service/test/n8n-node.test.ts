/**
 * The n8n node (integrations/n8n) against the running service. n8n itself is a stand-in: parameters, credentials and HTTP
 * requests with authentication, as the node uses them. Types and lint of the package are checked in its own folder.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { listsOf } from "./jobs-http-world.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

// Not imported by name: their types are those of n8n, which is not installed here.
const packageUrl = new URL("../../integrations/n8n/", import.meta.url);
const { Mailvet } = await import(new URL("nodes/Mailvet/Mailvet.node.ts", packageUrl).href);
const { MailvetApi } = await import(new URL("credentials/MailvetApi.credentials.ts", packageUrl).href);

let service: TestService;
let ann: TestAccount;
let key: string;
beforeAll(async () => {
  service = await openService();
  ann = await service.openAccount();
  key = (await ann.makeKey({ mode: "test" })).key;
});
afterAll(() => service[Symbol.asyncDispose]());

type Json = Record<string, unknown>;
type HttpOptions = { method: string; url: string; body?: Json };

/** Runs the node on these items; a parameter that is a function gets the item. */
async function run(
  parameters: Record<string, string | ((json: Json) => string)>,
  items: Json[],
  { apiKey = key, continues = false, onRequest = (_body?: Json) => {} } = {},
): Promise<{ json: Json; pairedItem: unknown }[]> {
  const credentials: Record<string, string> = { baseUrl: `${service.url}/`, apiKey };
  const functions = {
    getInputData: () => items.map((json) => ({ json })),
    getNodeParameter(name: string, index: number) {
      const value = parameters[name] ?? defaultOf(name);
      return typeof value === "function" ? value(items[index]!) : value;
    },
    getCredentials: async (name: string) => {
      expect(name).toBe("mailvetApi");
      return credentials;
    },
    continueOnFail: () => continues,
    getNode: () => ({ name: "Mailvet" }),
    helpers: {
      async httpRequestWithAuthentication(this: unknown, name: string, options: HttpOptions) {
        expect([this, name]).toEqual([functions, "mailvetApi"]);
        onRequest(options.body);
        const { headers } = new MailvetApi().authenticate.properties;
        const answer = await fetch(options.url, {
          method: options.method,
          headers: {
            ...Object.fromEntries(
              Object.entries<string>(headers).map(([header, value]) => [
                header,
                value.replace(/^={{\$credentials\.(\w+)}}$/, (_, field) => credentials[field]!),
              ]),
            ),
            ...(options.body ? { "content-type": "application/json" } : {}),
          },
          ...(options.body ? { body: JSON.stringify(options.body) } : {}),
        });
        const body = (await answer.json()) as Json;
        if (!answer.ok) throw new Error(String(body.detail));
        return body;
      },
    },
  };
  const [found] = await new Mailvet().execute.call(functions);
  return found;
}

function defaultOf(name: string): string {
  const properties: { name: string; default: string }[] = new Mailvet().description.properties;
  return properties.find((property) => property.name === name)!.default;
}

const email = (json: Json) => String(json.email);

test("the package declares its files as n8n requires", async () => {
  const { default: manifest } = await import(new URL("package.json", packageUrl).href, {
    with: { type: "json" },
  });
  expect(manifest.name).toMatch(/^n8n-nodes-/);
  expect(manifest.keywords).toContain("n8n-community-node-package");
  expect(manifest.dependencies).toBeUndefined();
  expect(manifest.n8n).toEqual({
    n8nNodesApiVersion: 1,
    strict: true,
    credentials: ["dist/credentials/MailvetApi.credentials.js"],
    nodes: ["dist/nodes/Mailvet/Mailvet.node.js"],
  });
});

test("Check returns the full result of each item", async () => {
  const items = [{ email: "valid@shop.example" }, { email: "mailbox-full@shop.example" }];
  const found = await run({ operation: "check", email }, items);
  expect(found).toMatchObject([
    { json: { status: "valid", details: { smtp_code: 250 } }, pairedItem: 0 },
    { json: { sub_status: "mailbox_full" }, pairedItem: 1 },
  ]);
});

test("Check in Batches keeps the items, and adds a short result to each", async () => {
  const items = Array.from({ length: 1_200 }, (_, id) => ({
    id,
    email: `Valid+${id % 1_100}@shop.example `,
  }));
  const found = await run({ operation: "checkBatch", email, level: "syntax" }, items);
  expect(found).toHaveLength(1_200);
  expect(found[1_150]).toMatchObject({ json: { id: 1_150, mailvet: { status: expect.any(String) } } });
  expect(found.every(({ json }) => json.mailvet !== null)).toBe(true);
});

test("Check in Batches asks for each address once, and not for items without one", async () => {
  const items = [
    { email: "valid@shop.example" },
    { email: " " },
    { email: "Valid@shop.example" },
    { email: '"valid"@shop.example' },
    { email: "valid@shop.example\u00a0" },
  ];
  const asked: unknown[] = [];
  const found = await run({ operation: "checkBatch", email }, items, {
    onRequest: (body) => asked.push(body?.emails),
  });
  expect(found.map(({ json }) => (json.mailvet as Json | null)?.status)).toEqual([
    "valid",
    undefined,
    "valid",
    "valid",
    "invalid",
  ]);
  expect(asked).toEqual([
    ["Valid@shop.example", '"valid"@shop.example', "valid@shop.example\u00a0"],
    ['"valid"@shop.example'],
  ]);
});

test("Inspect Domain, and a job from start to results", async () => {
  const domain = await run({ operation: "domain", domain: "catch-all.mailvet.test" }, [{}]);
  expect(domain[0]!.json).toMatchObject({ catchall: { is_catchall: true } });
  const items = Array.from({ length: 150 }, (_, id) => ({ email: `valid+${id}@shop.example` }));
  const [started] = await run({ operation: "startJob", email }, items);
  const jobId = String(started!.json.id);
  await expect
    .poll(async () => (await run({ operation: "getJob", jobId }, [{}]))[0]!.json.status)
    .toBe("completed");
  const results = await run({ operation: "getJobResults", jobId }, [{}]);
  expect(results.map(({ json }) => json.email)).toEqual(items.map((item) => item.email));
});

test("all results of a job with two email columns are read", async () => {
  const lists = listsOf(service, { key });
  const rows = Array.from({ length: 75 }, (_, id) => [
    `valid+w${id}@shop.example`,
    `valid+h${id}@shop.example`,
  ]);
  const { upload_id } = await lists.upload(`work,home\n${rows.join("\n")}\n`);
  const body = { upload_id, email_column: "work", more_email_columns: ["home"] };
  const { body: job } = await lists.ask("/bulk/upload/confirm", { body });
  await lists.ended(job.id);
  const results = await run({ operation: "getJobResults", jobId: job.id }, [{}]);
  expect(results.map(({ json }) => json.email)).toEqual(rows.flat());
});

test("an error ends the node, or is an item when it continues on fail", async () => {
  const refused = { apiKey: "mv_test_unknown" };
  const check = { operation: "check", email };
  await expect(run(check, [{ email: "a@b.example" }], refused)).rejects.toThrow(
    /unknown, expired or revoked/,
  );
  const found = await run(check, [{ email: "a@b.example" }], { ...refused, continues: true });
  expect(found).toEqual([{ json: { error: expect.stringMatching(/revoked/) }, pairedItem: 0 }]);
});
