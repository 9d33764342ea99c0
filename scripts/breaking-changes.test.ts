import { expect, test } from "vitest";
import { breakingChanges, withoutTexts } from "./breaking-changes.ts";

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Mailvet", version: "0.1.0" },
  paths: {
    "/check": {
      post: {
        operationId: "check",
        description: "Checks an address.",
        security: [{ apiKey: [] }, { session: [] }],
        parameters: [
          { name: "wait", in: "query", required: false, schema: { type: "integer", maximum: 60 } },
          { $ref: "#/components/parameters/Mode" },
        ],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Request" }, example: {} } },
        },
        responses: {
          200: {
            description: "Success.",
            headers: { "X-Request-Id": { schema: { type: "string" } } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Result" } } },
          },
          422: { description: "Invalid." },
        },
      },
    },
  },
  webhooks: {
    "check.done": {
      post: {
        operationId: "onCheckDone",
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Result" } } } },
      },
    },
  },
  components: {
    parameters: {
      Mode: { name: "mode", in: "query", required: false, schema: { type: "string", enum: ["a", "b"] } },
    },
    schemas: {
      Request: {
        type: "object",
        required: ["email"],
        properties: {
          email: { type: "string", maxLength: 254 },
          level: { type: "string", enum: ["dns", "smtp"] },
          kinds: { type: "string", pattern: "^(a|b)(,(a|b))*$" },
        },
        additionalProperties: false,
      },
      Result: {
        type: "object",
        required: ["status", "score", "inner"],
        properties: {
          description: { type: "string", description: "A field with this name." },
          status: { type: "string", enum: ["valid", "invalid"] },
          reason: { type: "string", "x-extensible-enum": ["full", "gone"] },
          score: { type: "integer" },
          hint: { anyOf: [{ type: "string" }, { type: "null" }] },
          list: { type: "array", items: { $ref: "#/components/schemas/Result" } },
          inner: { allOf: [{ type: "object", required: ["a"], properties: { a: { type: "string" } } }] },
        },
      },
    },
  },
};

// biome-ignore lint/suspicious/noExplicitAny: changed at will
const changed = (change: (document: any) => void) => {
  const after = structuredClone(DOCUMENT);
  change(after);
  return breakingChanges(DOCUMENT, after);
};
const drop = (list: string[], word: string) => list.splice(list.indexOf(word), 1);

test.each<[string, Parameters<typeof changed>[0], string]>([
  ["an endpoint is removed", ({ paths }) => delete paths["/check"], "POST /check: was removed"],
  ["an event is removed", ({ webhooks }) => delete webhooks["check.done"], "event check.done: was removed"],
  [
    "a field of an answer is removed",
    ({ components: { schemas } }) => delete schemas.Result.properties.hint,
    "Result.hint: was removed",
  ],
  [
    "a field of a request is removed",
    ({ components: { schemas } }) => delete schemas.Request.properties.level,
    "Request.level: was removed",
  ],
  [
    "a field of a request becomes required",
    ({ components: { schemas } }) => schemas.Request.required.push("level"),
    "Request.level: became required",
  ],
  [
    "a required field is added to a request",
    ({ components: { schemas } }) => {
      schemas.Request.properties.more = { type: "string" };
      schemas.Request.required.push("more");
    },
    "Request.more: was added as required",
  ],
  [
    "a field of an answer becomes optional",
    ({ components: { schemas } }) => drop(schemas.Result.required, "score"),
    "Result.score: may be missing now",
  ],
  [
    "a field of an answer may be null",
    ({ components: { schemas } }) => {
      schemas.Result.properties.score = { anyOf: [{ type: "integer" }, { type: "null" }] };
    },
    "Result.score: may be null now",
  ],
  [
    "a field has another type",
    ({ components: { schemas } }) => {
      schemas.Result.properties.score = { type: "string" };
    },
    "Result.score: may be string now",
  ],
  [
    "a part of an intersection is removed",
    ({ components: { schemas } }) => delete schemas.Result.properties.inner.allOf[0].properties.a,
    "Result.inner.a: was removed",
  ],
  [
    "a closed enumeration of an answer gets a value",
    ({ components: { schemas } }) => schemas.Result.properties.status.enum.push("new"),
    'Result.status: may be "new" now',
  ],
  [
    "a value of a request is refused",
    ({ components: { schemas } }) => drop(schemas.Request.properties.level.enum, "dns"),
    'Request.level: "dns" is no longer accepted',
  ],
  [
    "one of several words is refused",
    ({ components: { schemas } }) => {
      schemas.Request.properties.kinds.pattern = "^(a|c)(,(a|c))*$";
    },
    "Request.kinds: pattern is ^(a|c)(,(a|c))*$ now",
  ],
  [
    "a limit of a request is lowered",
    ({ components: { schemas } }) => {
      schemas.Request.properties.email.maxLength = 100;
    },
    "Request.email: maxLength is 100 now",
  ],
  [
    "a parameter is removed",
    ({ paths }) => paths["/check"].post.parameters.shift(),
    "POST /check: parameter query wait was removed",
  ],
  [
    "a parameter becomes required",
    ({ components: { parameters } }) => {
      parameters.Mode.required = true;
    },
    "POST /check: parameter query mode became required",
  ],
  [
    "a media type is removed",
    ({ paths }) => {
      paths["/check"].post.responses[200].content = {};
    },
    "POST /check 200: media type application/json was removed",
  ],
  [
    "a header is removed",
    ({ paths }) => delete paths["/check"].post.responses[200].headers["X-Request-Id"],
    "POST /check 200: header X-Request-Id was removed",
  ],
  [
    "a credential is no longer accepted",
    ({ paths }) => paths["/check"].post.security.pop(),
    "POST /check: no longer takes the credential session",
  ],
  [
    "an operation has another ID",
    ({ paths }) => {
      paths["/check"].post.operationId = "verify";
    },
    "POST /check: operationId is verify instead of check",
  ],
])("it breaks clients when %s", (_, change, expected) => {
  expect(changed(change)).toContain(expected);
});

test("additions and other texts break nothing", () => {
  const found = changed(({ paths, webhooks, components: { schemas } }) => {
    paths["/more"] = { get: { operationId: "more", responses: { 200: { description: "Success." } } } };
    paths["/check"].post.description = "Another text.";
    schemas.Request.properties.kinds.pattern = "^(a|b|c)(,(a|b|c))*$";
    paths["/check"].post.security.push({ bearer: [] });
    paths["/check"].post.parameters.push({ name: "more", in: "query", required: false, schema: {} });
    paths["/check"].post.responses[201] = { description: "Created." };
    delete paths["/check"].post.responses[422];
    webhooks["check.more"] = {};
    schemas.Request.properties.more = { type: "string" };
    schemas.Request.properties.level.enum.push("syntax");
    schemas.Request.properties.email.maxLength = 300;
    schemas.Result.properties.more = { type: "string" };
    schemas.Result.required.push("more", "reason");
    schemas.Result.properties.reason["x-extensible-enum"].push("moved");
    schemas.Result.properties.hint = { type: "string" };
  });
  expect(found).toEqual([]);
});

test("an action may become a task, with the same body", () => {
  const asTask = (content?: object) =>
    changed(({ paths }) => {
      const { 200: done, ...others } = paths["/check"].post.responses;
      paths["/check"].post.responses = { ...others, 202: content ? { ...done, content } : done };
    });
  expect(asTask()).toEqual([]);
  expect(asTask({})).toEqual(["POST /check 200: media type application/json was removed"]);
});

test("without texts and examples the same is compared", () => {
  const reduced = withoutTexts(DOCUMENT);
  expect(breakingChanges(DOCUMENT, reduced)).toEqual([]);
  expect(breakingChanges(reduced, DOCUMENT)).toEqual([]);
  expect(JSON.stringify(reduced)).not.toContain("Checks an address");
});
