import { readFileSync } from "node:fs";
import { WEBHOOK_EVENTS } from "@mailvet/contract";
import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { breakingChanges } from "../../scripts/breaking-changes.ts";
import { HOOK } from "./endpoints.ts";
import { beginHeld, listsOf } from "./jobs-http-world.ts";
import { deviationOf, type Operation, operationsOf, requestsTo } from "./openapi-client.ts";
import { rounds } from "./rounds.ts";
import { cookieOf, formWith, OPERATOR, openService, type TestAccount, type TestService } from "./service.ts";

/** By `npm run release`. */
const RELEASED = new URL("../../contract/released/openapi.json", import.meta.url);

let service: TestService;
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, until it is validated
let document: any;
let operations: Operation[];
let messages: Map<string, Operation>;
beforeAll(async () => {
  service = await openService();
  document = (await service.ask("/openapi.json")).body;
  operations = operationsOf(document);
  messages = messageOperations();
});
afterAll(() => service[Symbol.asyncDispose]());

test("the document is valid OpenAPI 3.1, and every reference resolves", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toBe("3.1.0");
});

test("every operation has a unique ID, texts, and a described tag", () => {
  const ids = operations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = document.tags.map(({ name }: { name: string }) => name);
  for (const methods of Object.values<object>(document.paths)) {
    for (const operation of Object.values(methods)) {
      expect(operation.summary.length, operation.operationId).toBeGreaterThan(3);
      expect(operation.description.length, operation.operationId).toBeGreaterThan(10);
      for (const tag of operation.tags) expect(tags, operation.operationId).toContain(tag);
    }
  }
});

test("every endpoint of the interface is described", () => {
  const endpoints = operations.map(({ method, path }) => `${method} ${path}`);
  for (const endpoint of [
    "POST /validation/single",
    "GET /validation/single",
    "POST /validation/bulk",
    "GET /account",
    "GET /credits",
    "GET /usage",
    "POST /bulk/upload/preview",
    "POST /bulk/upload/confirm",
    "GET /bulk/jobs",
    "GET /bulk/jobs/{job_id}",
  ]) {
    const [method, path] = endpoint.split(" ");
    expect(endpoints).toContain(`${method} /api/v1${path}`);
  }
});

test("the contract's resources are components under their names", () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      "Account",
      "ApiKey",
      "BulkSummary",
      "Job",
      "JobResult",
      "LedgerEntry",
      "Problem",
      "UploadPreview",
      "WebhookDelivery",
      "WebhookEndpoint",
      "ValidationResult",
    ]),
  );
  const single = document.paths["/validation/single"].post;
  expect(single.responses[200].content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/ValidationResult",
  });
  expect(single.security).toEqual([{ apiKey: [] }, { bearer: [] }, { session: [] }]);
  expect(Object.keys(single.responses).sort()).toEqual([
    "200",
    "400",
    "401",
    "402",
    "403",
    "406",
    "409",
    "413",
    "415",
    "422",
    "429",
    "500",
    "503",
  ]);
});

test("an upload is a form, and a download has all its formats", () => {
  const { requestBody } = document.paths["/bulk/upload/preview"].post;
  expect(Object.keys(requestBody.content)).toEqual(["multipart/form-data"]);
  const { schema } = requestBody.content["multipart/form-data"];
  expect(schema).toMatchObject({ type: "object", required: ["file"], properties: { file: {} } });
  const { responses, parameters } = document.paths["/bulk/jobs/{job_id}/download"].get;
  expect(Object.keys(responses[200].content)).toEqual([
    "text/csv",
    "application/x-ndjson",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/zip",
  ]);
  const format = parameters.find(({ name }: { name: string }) => name === "format");
  expect(format).toMatchObject({ required: false, schema: { enum: ["csv", "ndjson", "xlsx", "zip"] } });
  const events = document.paths["/bulk/jobs/{job_id}/events"].get;
  expect(Object.keys(events.responses[200].content)).toEqual(["text/event-stream"]);
});

test("nothing of the last release is missing or different", () => {
  const released = JSON.parse(readFileSync(RELEASED, "utf8"));
  expect(breakingChanges(released, document)).toEqual([]);
  const changed = structuredClone(document); // shows that this is compared at all
  delete changed.components.schemas.Job.properties.eta_seconds;
  delete changed.paths["/account"];
  changed.components.schemas.ValidationRequest.required.push("level");
  changed.components.schemas.ValidationResult.properties.added = { type: "string" };
  expect(breakingChanges(released, changed)).toEqual([
    "GET /account: was removed",
    "Job.eta_seconds: was removed",
    "ValidationRequest.level: became required",
  ]);
});

/** Files that are no text. */
const BINARY = ["application/zip", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"];

test("every answer has an example, which matches its schema", () => {
  const without: string[] = [];
  for (const operation of operations) {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      if (status === "500") continue; // has that of internal_error, and is never expected
      for (const [type, { example, examples }] of Object.entries(content)) {
        const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
        for (const value of values) {
          if (value === undefined) without.push(`${operation.id} ${status} ${type}`);
          const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
          const deviation = value && deviationOf(operation, { status: Number(status), type, text });
          expect(deviation, `${operation.id} ${status}`).toBeUndefined();
        }
      }
    }
  }
  expect(without.filter((place) => !BINARY.some((type) => place.endsWith(type)))).toEqual([]);
});

test("an answer of several operations is a component", () => {
  type Described = { responses: Record<string, { description?: string }> };
  const described = Object.values<Record<string, Described>>(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, { description }]) => (Number(status) >= 400 && description ? [description] : []));
  expect(described.filter((text, n) => described.indexOf(text) !== n)).toEqual([]);
  const { responses } = document.paths["/account"].get;
  expect(responses[429]).toEqual({ $ref: "#/components/responses/RateLimited" });
});

test("enumerations are open in answers, except where no value will be added, and closed in requests", () => {
  const { ValidationResult, ValidationRequest, Job } = document.components.schemas;
  expect(ValidationResult.properties.status).toMatchObject({ type: "string", enum: expect.any(Array) });
  expect(ValidationResult.properties.sub_status["x-extensible-enum"]).toContain("mailbox_not_found");
  expect(ValidationResult.properties.sub_status).not.toHaveProperty("enum");
  expect(Job.properties.status).toMatchObject({ type: "string", "x-extensible-enum": expect.any(Array) });
  expect(ValidationRequest.properties.level).toMatchObject({ type: "string", enum: expect.any(Array) });
});

test("every event is a webhook with its schema, example and the headers of its signature", () => {
  expect(Object.keys(document.webhooks)).toEqual(WEBHOOK_EVENTS);
  for (const operation of messages.values()) {
    const names = operation.parameters.map(({ name }) => name);
    expect(names).toEqual(["webhook-id", "webhook-timestamp", "webhook-signature"]);
    const { example } = operation.responses[200]!.content!["application/json"]!;
    expect(deviationOfMessage(JSON.stringify(example))).toBeUndefined();
  }
});

test("the messages that are sent match their schemas", async () => {
  const ann = await service.openAccount({ credits: 101 });
  const { body: hook } = await service.ask("/webhooks", { key: ann.key, body: { url: HOOK } });
  await service.ask(`/webhooks/${hook.id}/test`, { key: ann.key, method: "POST" });
  const { id } = await ann.makeKey();
  await service.ask(`/keys/${id}`, { cookie: ann.cookie, method: "DELETE" });
  await jobOf(ann, "email\nvalid@mailvet.test\nrole@mailvet.test\n"); // takes the credits below 100
  const lists = listsOf(service, ann);
  const slow = await beginHeld(lists, service.database.pool, SLOW);
  await lists.move(slow.id, "pause");
  await lists.move(slow.id, "cancel");
  const sent = async (): Promise<string[]> => {
    const { body } = await service.ask(`/webhooks/${hook.id}/deliveries?limit=100`, { key: ann.key });
    return body.map(({ message }: { message: string }) => message);
  };
  const events = async () => [...new Set((await sent()).map((text) => JSON.parse(text).type))].sort();
  await expect
    .poll(events)
    .toEqual([
      "api_key.created",
      "api_key.revoked",
      "credits.low",
      "job.cancelled",
      "job.completed",
      "job.paused",
      "webhook.test",
    ]);
  for (const message of await sent()) expect(deviationOfMessage(message), message).toBeUndefined();
});

/** The webhooks as operations whose answer is the message, by event. */
function messageOperations(): Map<string, Operation> {
  const paths = structuredClone(document.webhooks);
  for (const { post } of Object.values<{ post: Record<string, unknown> }>(paths))
    post.responses = { 200: post.requestBody };
  const events = operationsOf({ ...document, paths, servers: [{ url: "" }] });
  return new Map(events.map((operation) => [operation.path, operation]));
}

function deviationOfMessage(text: string): string | undefined {
  const operation = messages.get(JSON.parse(text).type)!;
  return deviationOf(operation, { status: 200, type: "application/json", text });
}

/** About ten to each operation in CI, others in every run. `npm run fuzz:api` sends many more. */
const REQUESTS = rounds(800);
/** Concurrent, because transactions that lock rows in different orders deadlock only then. */
const AT_ONCE = 8;
const FRESH_CALLERS_EVERY = 20; // batches: requests sign people out, change plans and revoke keys

test(`${REQUESTS} random requests get no failure and only documented responses`, async () => {
  let callers: Record<string, string>[] = [];
  const ids: Record<string, string[]> = {};
  let sent = 0;
  let batches = 0;
  const statuses = new Map<number, number>();
  const renew = async () => {
    const account = await service.openAccount({ credits: 100_000 });
    callers = await callersFor(account);
    Object.assign(ids, {
      account_id: [account.accountId],
      key_id: [(await account.makeKey()).id],
      upload_id: [await uploadOf(account, QUICK), await uploadOf(account, SLOW)],
      job_id: [await jobOf(account, QUICK), await jobOf(account, SLOW)],
      email_column: ["email"],
      ...(await hookOf(account)),
      url: [HOOK],
      nothing: [crypto.randomUUID()],
    });
  };
  await renew();
  const signedIn = callers.flatMap(({ cookie }, n) => (cookie ? [n] : []));
  const known = { callers: callers.length, signedIn, ids, texts: TEXTS, files: FILES, most: { wait: 1 } };
  const requests = fc.oneof(
    ...operations.map((operation) => ({
      weight: operation.tags.includes("auth") ? 1 : 3, // hashing passwords is slow
      arbitrary: requestsTo(operation, known),
    })),
  );
  type Sent = typeof requests extends fc.Arbitrary<infer T> ? T : never;
  const receive = async ({ method, path, headers, body, caller }: Sent) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      // One address per request, so that address limits do not apply.
      headers: {
        ...headers,
        ...callers[caller],
        "x-forwarded-for": `2001:db8:${(++sent % 65_536).toString(16)}::1`,
      },
      body: body ?? null,
    });
    const { status } = response;
    return { status, type: response.headers.get("content-type") ?? "", text: await textOf(response) };
  };
  const send = async (request: Sent) => {
    const received = await receive(request).catch((error) => {
      // A download is aborted if its job is deleted meanwhile. The next one is complete, or refused.
      if (request.method === "GET" && error.message === "terminated") return receive(request);
      throw error;
    });
    const { status } = received;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const operation = operations.find(({ id }) => id === request.operation)!;
    const deviation = deviationOf(operation, received);
    if (deviation)
      throw new Error(`${operation.id}: ${deviation}; responded ${status} ${received.text.slice(0, 500)}`);
  };
  const atOnce = fc.array(requests, { minLength: AT_ONCE, maxLength: AT_ONCE });
  await fc.assert(
    fc.asyncProperty(atOnce, async (batch) => {
      if (++batches % FRESH_CALLERS_EVERY === 0) await renew();
      await Promise.all(batch.map(send));
    }),
    { numRuns: REQUESTS / AT_ONCE, endOnFailure: true },
  );
  // Enough requests must succeed, or the test proves nothing.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
  expect(statuses.get(422)).toBeGreaterThan(REQUESTS / 40);
}, 900_000);

/** An event stream lasts as long as its job: only the first event is read. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? "").toString();
}

async function uploadOf({ key }: TestAccount, file: string): Promise<string> {
  const { body } = await service.ask("/bulk/upload/preview", { key, form: formWith(file) });
  return body.upload_id;
}

async function jobOf(account: TestAccount, file: string): Promise<string> {
  const body = { upload_id: await uploadOf(account, file), email_column: "email" };
  return (await service.ask("/bulk/upload/confirm", { key: account.key, body })).body.id;
}

/** A webhook endpoint and a delivery to it. */
async function hookOf({ key }: TestAccount) {
  const { body: hook } = await service.ask("/webhooks", { key, body: { url: HOOK } });
  const { body: delivery } = await service.ask(`/webhooks/${hook.id}/test`, { key, method: "POST" });
  return { webhook_id: [hook.id], delivery_id: [delivery.id] };
}

async function callersFor(account: TestAccount): Promise<Record<string, string>[]> {
  // A separate session: these requests sign it out.
  const operator = cookieOf(await service.ask("/auth/sign-in", { body: OPERATOR }));
  const test = await account.makeKey({ mode: "test" });
  const reader = await account.makeKey({ scopes: ["read"] });
  return [
    {},
    { "x-api-key": account.key },
    { "x-api-key": account.key },
    { "x-api-key": test.key },
    { "x-api-key": reader.key },
    { authorization: `Bearer ${account.key}` },
    { authorization: `Bearer ${reader.key}`, "x-api-key": account.key },
    { "x-api-key": "no such key at all" },
    { cookie: account.cookie },
    { cookie: account.cookie },
    { cookie: operator },
    { cookie: operator, origin: "https://elsewhere.example" },
  ];
}

const TEXTS = [
  "valid@mailvet.test",
  "catch-all@mailvet.test",
  "mailbox-not-found@mailvet.test",
  "greylisted@mailvet.test",
  "no address",
  "ann@example.com",
  "person1@company.example",
  "a long enough password",
];

const QUICK = "email\nvalid@mailvet.test\n";
const SLOW = "email\ngreylisted-then-valid@mailvet.test\n";
const FILES = [
  QUICK,
  SLOW,
  "name;email\nAnn;catch-all@mailvet.test\nBo;no address\n",
  "name\nAnn\n",
  "email,event\nann@example.com,bounce\nvalid@mailvet.test,open\n",
  "PK\x03\x04",
  "",
];
