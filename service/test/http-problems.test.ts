import { METHODS } from "node:http";
import { connect } from "node:net";
import { PROBLEM_CODES, PROBLEMS } from "@mailvet/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpWorld, openHttpWorld, sendRaw, untilRead } from "./http-world.ts";

let world: HttpWorld;
/** Only for what never arrives: on a busy machine anything else may take as long. */
let impatient: HttpWorld;
let key: string;
beforeAll(async () => {
  const settings = { maxBodyBytes: 10_000, anonymousRequestsPerMinute: 10_000 };
  world = await openHttpWorld(settings);
  impatient = await openHttpWorld({ ...settings, headersTimeoutMs: 1_500, requestTimeoutMs: 1_500 });
  key = await keyOf(world);
});
afterAll(() => Promise.all([world.close(), impatient.close()]));

const keyOf = async (place: HttpWorld) => (await place.account({ plan: "enterprise" })).key();

type Sent = {
  method?: string;
  path?: string;
  type?: string | null;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: object;
};

async function send({ method = "POST", path = "/echo", type = "application/json", body, headers }: Sent) {
  const response = await fetch(`${world.api}${path}`, {
    method,
    headers: { "x-api-key": key, ...(type ? { "content-type": type } : {}), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    problem: text ? JSON.parse(text) : undefined,
  };
}

function expectProblem(response: Awaited<ReturnType<typeof send>>, status: number, code: string) {
  expect(response.problem).toMatchObject({ status, code, type: `/docs/problems/${code}` });
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect(response.problem.request_id).toBe(response.headers.get("x-request-id"));
  expect(response.problem.detail.length).toBeGreaterThan(10);
}

test.each([
  '{"email":"a","__proto__":{"x":1}}',
  '{"email":"a","a/b":[1,{"__proto__":null}]}',
  '{"email":"a","constructor":{"prototype":{}}}',
])("a member that could replace a prototype is not called a syntax error: %s", async (body) => {
  const response = await send({ body });
  expectProblem(response, 400, "malformed_request");
  expect(response.problem.detail).toBe(
    "The body has a member named __proto__ or constructor.prototype, which is not allowed.",
  );
});

test("a body with too many levels is refused as such", async () => {
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const response = await send({ body: `{"email":${nested(4_000)}}` });
  expectProblem(response, 400, "malformed_request");
  expect(response.problem.detail).toBe("The body has more than 100 levels of arrays and objects.");
  expectProblem(await send({ body: nested(101) }), 400, "malformed_request");
  expectProblem(await send({ body: nested(100) }), 422, "validation_failed");
});

test.each<[string, Sent, number, string]>([
  ["invalid JSON", { body: '{"email": ' }, 400, "malformed_request"],
  ["an empty JSON body", { body: "" }, 400, "malformed_request"],
  ["JSON with __proto__", { body: '{"__proto__": {"x": 1}, "email": "a"}' }, 400, "malformed_request"],
  [
    "a body that is not UTF-8",
    { body: new Uint8Array(Buffer.from('{"email":"\xff\xfe"}', "latin1")) },
    400,
    "malformed_request",
  ],
  ["plain text", { body: "email=a", type: "text/plain" }, 415, "unsupported_media_type"],
  ["a form", { body: "email=a", type: "application/x-www-form-urlencoded" }, 415, "unsupported_media_type"],
  ["an invalid content type", { body: "{}", type: "json" }, 415, "unsupported_media_type"],
  ["no body", { type: null }, 422, "validation_failed"],
  ["an array", { body: "[]" }, 422, "validation_failed"],
  ["a string", { body: '"a@b.cd"' }, 422, "validation_failed"],
  ["null", { body: "null" }, 422, "validation_failed"],
  ["an object without required fields", { body: "{}" }, 422, "validation_failed"],
  ["an unknown field", { body: '{"email":"a","x":1}' }, 422, "validation_failed"],
  [
    "a body that is too large",
    { body: JSON.stringify({ email: "a".repeat(20_000) }) },
    413,
    "payload_too_large",
  ],
  ["an unknown path", { path: "/nothing?x=1", body: "{}" }, 404, "not_found"],
  ["a path below a known one", { method: "GET", path: "/read/more" }, 404, "not_found"],
  ["the wrong method", { method: "PUT", body: "{}" }, 405, "method_not_allowed"],
  [
    "a client that accepts only XML",
    { body: '{"email":"a"}', headers: { accept: "text/xml" } },
    406,
    "not_acceptable",
  ],
  ["an invalid percent-encoding", { method: "GET", path: "/%zz" }, 400, "malformed_request"],
  [
    "an ID of excessive length",
    { method: "DELETE", path: `/things/${"1".repeat(5000)}` },
    400,
    "malformed_request",
  ],
  [
    "a wrong method with a body of any type",
    { method: "PUT", body: "x", type: "text/plain" },
    405,
    "method_not_allowed",
  ],
  [
    "an unknown path with a body of any type",
    { path: "/nothing", body: "x", type: "text/plain" },
    404,
    "not_found",
  ],
  ["an unknown query parameter", { method: "GET", path: "/read?surprise=1" }, 422, "validation_failed"],
  [
    "a query parameter where there is none",
    { method: "GET", path: "/any?surprise=1" },
    422,
    "validation_failed",
  ],
  ["an invalid integer", { method: "GET", path: "/read?skip=1.5" }, 422, "validation_failed"],
  ["a parameter given twice", { method: "GET", path: "/read?skip=1&skip=2" }, 422, "validation_failed"],
])("%s is a problem document", async (_name, sent, status, code) => {
  expectProblem(await send(sent), status, code);
});

test("a body that is too large is refused with the limit", async () => {
  const { problem } = await send({ body: JSON.stringify({ email: "a".repeat(20_000) }) });
  expect(problem.detail).toBe("The body is larger than the limit of 10,000 bytes.");
});

test("validation errors carry a pointer", async () => {
  const { problem } = await send({ body: '{"email": 5}' });
  expect(problem.errors).toEqual([{ pointer: "/email", message: "must be a string" }]);
});

test("numbers and booleans of the query string are parsed", async () => {
  const { problem: response } = await send({ method: "GET", path: "/read?skip=12&flag=true" });
  expect(response).toMatchObject({ skip: 12, flag: true });
});

test("an empty body with a JSON content type is accepted where no body is expected", async () => {
  const path = "/things/6f2c8ee4-6f0e-4d0e-8d1f-2f37a0b8a8a1";
  expect((await send({ method: "DELETE", path, body: "" })).status).toBe(204);
});

test("a wrong method gets 405 with Allow, and OPTIONS gets Allow", async () => {
  expect((await send({ method: "PUT", body: "{}" })).headers.get("allow")).toBe("OPTIONS, POST");
  const options = await send({ method: "OPTIONS", path: "/read", type: null });
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  expect(options.headers.get("access-control-allow-origin")).toBeNull();
});

/** CONNECT asks for a tunnel, for which Node closes the connection. */
const OTHER_METHODS = METHODS.filter((method) => !["CONNECT", "HEAD", "OPTIONS", "POST"].includes(method));

test.each([...OTHER_METHODS, "BREW"])("%s gets 405 with Allow where it does not exist", async (method) => {
  const received = await sendRaw(
    world.port,
    `${method} /api/v1/echo?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  const [head = "", body = ""] = received.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 405 /);
  expect(head.toLowerCase()).toContain("\r\nallow: options, post\r\n");
  expect(JSON.parse(body)).toMatchObject({ code: "method_not_allowed", status: 405 });
});

test.each(["QUERY", "BREW"])("%s gets 404 where no method exists", async (method) => {
  const received = await sendRaw(
    world.port,
    `${method} /api/v1/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  expect(received).toMatch(/^HTTP\/1\.1 404 /);
});

test("HEAD responds like GET without a body, and does not exist where it would spend", async () => {
  const read = await send({ method: "HEAD", path: "/read", type: null });
  expect([read.status, read.text]).toEqual([200, ""]);
  const spend = await send({ method: "HEAD", path: "/spend", type: null });
  expect([spend.status, spend.headers.get("allow")]).toEqual([405, "GET, OPTIONS"]);
  expect(world.bench.calls.spend).toBeUndefined();
});

test("an internal error reveals nothing in the response, and is logged in full with masked addresses", async () => {
  const response = await send({ path: "/fail", type: null });
  expectProblem(response, 500, "internal_error");
  expect(response.text).not.toContain("fuse");
  const line = await world.logged(
    (one) => one.event === "request_failed" && one.request_id === response.problem.request_id,
  );
  expect(line.err.stack).toContain("http-world.ts");
  expect(line.err.message).toBe("the fuse blew while a***@example.com was looked at");
});

test("a refusal carries its extra fields", async () => {
  const { problem } = await send({ path: "/broke", type: null });
  expect(problem).toMatchObject({ code: "insufficient_credits", required: 5, available: 1 });
});

const TOO_LATE = "did not arrive in time";

test.each([
  ["bytes that are not HTTP", "GARBAGE\r\n\r\n", "not a valid HTTP"],
  ["invalid headers", "GET / HTTP/1.1\r\nno colon here\r\n\r\n", "not a valid HTTP"],
  [
    "conflicting lengths",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "not a valid HTTP",
  ],
  [
    "headers that are too large",
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(40_000)}\r\n\r\n`,
    "headers are too large",
  ],
  ["headers that never end", "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: 1\r\n", TOO_LATE],
  [
    "bodies that never end",
    "POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
    TOO_LATE,
  ],
])("%s get a problem document, and the connection is closed", async (_name, bytes, detail) => {
  const place = detail === TOO_LATE ? impatient : world;
  const received = await sendRaw(place.port, bytes.replace("KEY", await keyOf(place)));
  const [head = "", body = ""] = received.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(head.toLowerCase()).toContain("content-type: application/problem+json");
  expect(JSON.parse(body)).toMatchObject({ code: "malformed_request", status: 400 });
  expect(JSON.parse(body).detail).toContain(detail);
});

test("a connection that sends nothing is closed without a response", async () => {
  // Browsers open connections in advance, and would take it for the response to a request that they send at this moment.
  expect(await sendRaw(impatient.port)).toBe("");
});

test("an aborted request body is logged as aborted and reaches no route", async () => {
  const before = world.bench.calls.echo ?? 0;
  const socket = connect(world.port, "127.0.0.1");
  const half = `POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"em`;
  const halfRead = untilRead(world, half.length);
  socket.write(half);
  await halfRead;
  socket.destroy();
  const line = await world.logged(
    ({ event, route }) => event === "request_aborted" && route === "/api/v1/echo",
  );
  expect(line.status).toBeUndefined();
  expect(world.bench.calls.echo ?? 0).toBe(before);
  expect((await send({ body: '{"email":"a"}' })).status).toBe(200);
});

test("one event is logged per request, without address, key or query", async () => {
  const { headers } = await send({ body: '{"email":"secret.person@example.com"}' });
  await send({ method: "GET", path: "/read?skip=987654" });
  const line = await world.logged((one) => one.request_id === headers.get("x-request-id"));
  expect(line).toMatchObject({
    level: "info",
    method: "POST",
    route: "/api/v1/echo",
    status: 200,
    event: "request_completed",
  });
  expect(line.account_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(line.key_id).toMatch(/^[0-9a-f-]{36}$/);
  await world.logged(({ route }) => route === "/api/v1/read");
  for (const secret of ["secret.person", key, "987654"]) expect(world.logText()).not.toContain(secret);
});

test("every problem code has a page with cause, fix, example and endpoints, and the index links to all", async () => {
  const index = await fetch(`${world.origin}/docs/problems`);
  const links = await index.text();
  expect(index.headers.get("content-type")).toContain("text/html");
  for (const code of PROBLEM_CODES) {
    expect(links).toContain(`<tr id="${code}">`);
    expect(links).toContain(`href="/docs/problems/${code}"`);
    const page = await world.app.inject(`/docs/problems/${code}`);
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    for (const heading of ["Cause", "Fix", "Example", "Returned by"])
      expect(page.body).toContain(`<h2>${heading}</h2>\n<`);
    const example = /<code data-language="json">([^<]+)</.exec(page.body)?.[1] ?? "";
    const document = JSON.parse(example.replaceAll("&#34;", '"').replaceAll("&#39;", "'"));
    expect(document).toMatchObject({ code, type: `/docs/problems/${code}`, status: PROBLEMS[code][0] });
  }
});

test("a page of a problem names the endpoints that return it", async () => {
  const pageOf = async (code: string) => (await world.app.inject(`/docs/problems/${code}`)).body;
  expect(await pageOf("rate_limited")).toContain("<p>Every endpoint.</p>");
  expect(await pageOf("method_not_allowed")).toContain("reach no endpoint");
  const keys = await pageOf("missing_api_key");
  expect(keys).toContain("<code>POST /echo</code></a>");
});

test.each(["nothing", "__proto__", "%3Cscript%3E", "rate_limited/more"])(
  "/docs/problems/%s does not exist",
  async (code) => {
    const response = await fetch(`${world.origin}/docs/problems/${code}`);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, "not_found"]);
  },
);
