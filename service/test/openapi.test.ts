import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOOK } from "./endpoints.ts";
import { deviationOf, type Operation, operationsOf, requestsTo } from "./openapi-client.ts";
import { cookieOf, formWith, OPERATOR, openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, until it is validated
let document: any;
let operations: Operation[];
beforeAll(async () => {
  service = await openService();
  document = (await service.ask("/openapi.json")).body;
  operations = operationsOf(document);
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
  expect(single.security).toEqual([{ apiKey: [] }, { session: [] }]);
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

test("the examples match their schemas", () => {
  let examples = 0;
  for (const operation of operations) {
    const described = document.paths[operation.path.slice("/api/v1".length)][operation.method.toLowerCase()];
    const example = described.responses[200]?.content?.["application/json"]?.example;
    if (!example) continue;
    examples++;
    expect(
      deviationOf(operation, { status: 200, type: "application/json", text: JSON.stringify(example) }),
    ).toBeUndefined();
  }
  expect(examples).toBe(15);
});

const REQUESTS = 2_000;
const FRESH_CALLERS_EVERY = 150; // requests sign people out, change plans and revoke keys

test(`${REQUESTS} random requests get no failure and only documented responses`, async () => {
  let callers: Record<string, string>[] = [];
  const ids: Record<string, string[]> = {};
  let sent = 0;
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
  await fc.assert(
    fc.asyncProperty(requests, async ({ operation: id, method, path, headers, body, caller }) => {
      if (++sent % FRESH_CALLERS_EVERY === 0) await renew();
      const response = await fetch(`${service.url}${path}`, {
        method,
        // One address per request, so that address limits do not apply.
        headers: {
          ...headers,
          ...callers[caller],
          "x-forwarded-for": `2001:db8:${(sent % 65_536).toString(16)}::1`,
        },
        body: body ?? null,
      });
      const received = {
        status: response.status,
        type: response.headers.get("content-type") ?? "",
        text: await textOf(response),
      };
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const operation = operations.find((one) => one.id === id)!;
      const deviation = deviationOf(operation, received);
      if (deviation)
        throw new Error(`${deviation}; responded ${received.status} ${received.text.slice(0, 500)}`);
    }),
    { numRuns: REQUESTS, endOnFailure: true },
  );
  // Enough requests must succeed, or the test proves nothing.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10);
  expect(statuses.get(422)).toBeGreaterThan(REQUESTS / 20);
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
