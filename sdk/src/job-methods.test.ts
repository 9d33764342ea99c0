import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { whileCollecting } from "../../engine/test/garbage.ts";
import {
  atPaths,
  bytes,
  COMPLETED,
  endEvent,
  endpointOf,
  eventStream,
  JOB_ID,
  JOB_PATH,
  jobOf,
  PREVIEW,
  progressEvent,
  resultOf,
} from "../test/job-script.ts";
import {
  disconnects,
  type Handler,
  json,
  noContent,
  openScriptedService,
  page,
  problem,
} from "../test/scripted-service.ts";
import { type Client, createClient, MailvetProblem } from "./index.ts";

const KEY = "mv_live_never_seen_anywhere_else";
afterEach(() => void vi.useRealTimers());
const clientOf = ({ url }: { url: string }, more: { timeoutMs?: number; retries?: number } = {}) =>
  createClient({ baseUrl: url, apiKey: KEY, ...more });

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error,
  );
}

/** Every method, and its request. */
const METHODS: [(client: Client) => Promise<unknown>, method: string, url: string, body?: object][] = [
  [
    (c) => c.jobs.confirm({ uploadId: "u1", emailColumn: "e mail" }),
    "POST",
    "/bulk/upload/confirm",
    { upload_id: "u1", email_column: "e mail" },
  ],
  [(c) => c.jobs.get("j1"), "GET", "/bulk/jobs/j1"],
  [(c) => c.jobs.get("j1", { waitSeconds: 30 }), "GET", "/bulk/jobs/j1?wait=30"],
  [(c) => c.jobs.cancel("../j"), "POST", "/bulk/jobs/..%2Fj/cancel"],
  [(c) => c.jobs.pause("j1"), "POST", "/bulk/jobs/j1/pause"],
  [(c) => c.jobs.resume("j1"), "POST", "/bulk/jobs/j1/resume"],
  [(c) => c.jobs.finish("j1"), "POST", "/bulk/jobs/j1/finish"],
  [(c) => c.jobs.get("j1", { waitSeconds: 5, for: "end" }), "GET", "/bulk/jobs/j1?wait=5&for=end"],
  [(c) => c.jobs.result("j1", 7), "GET", "/bulk/jobs/j1/results/7"],
  [(c) => c.webhooks.list(), "GET", "/webhooks"],
  [
    (c) => c.webhooks.create({ url: "https://shop.io/hook", events: ["job.completed"] }),
    "POST",
    "/webhooks",
    { url: "https://shop.io/hook", events: ["job.completed"] },
  ],
  [(c) => c.webhooks.get("w1"), "GET", "/webhooks/w1"],
  [(c) => c.webhooks.update("w1", { isEnabled: true }), "PATCH", "/webhooks/w1", { is_enabled: true }],
  [(c) => c.webhooks.rotateSecret("w1"), "POST", "/webhooks/w1/rotate-secret"],
  [(c) => c.webhooks.test("w1"), "POST", "/webhooks/w1/test"],
  [(c) => c.webhooks.replay("w1", "d/1"), "POST", "/webhooks/w1/deliveries/d%2F1/replay"],
];

test("every method sends its request", async () => {
  await using service = await openScriptedService(json({ some: "document" }));
  const client = clientOf(service);
  for (const [call, method, path, body] of METHODS) {
    expect(await call(client), path).toEqual({ some: "document" });
    const request = service.requests.at(-1)!;
    expect(request).toMatchObject({ method, url: `/api/v1${path}` });
    expect(request.body, path).toBe(body ? JSON.stringify(body) : "");
    if (method === "POST") expect(request.headers["idempotency-key"], path).toMatch(/^[0-9a-f]{32}$/);
  }
});

test("delete is sent once and returns nothing", async () => {
  await using service = await openScriptedService(noContent);
  const client = clientOf(service);
  expect(await client.jobs.delete("j1")).toBeUndefined();
  expect(await client.webhooks.remove("w1")).toBeUndefined();
  expect(service.requests.map(endpointOf)).toEqual(["DELETE /bulk/jobs/j1", "DELETE /webhooks/w1"]);
});

test("lists contain the total count", async () => {
  await using service = await openScriptedService(json([{ id: "a" }], { "x-total-count": "230" }));
  const { jobs, webhooks } = clientOf(service);
  const one = { items: [{ id: "a" }], total: 230 };
  expect(await jobs.list({ skip: 20, limit: 1, status: "paused" })).toEqual(one);
  expect(await jobs.results("j1", { limit: 1, status: "risky" })).toEqual(one);
  expect(await webhooks.deliveries("w1", { state: "failed" })).toEqual(one);
  expect(service.requests.map(({ url }) => url.slice("/api/v1".length))).toEqual([
    "/bulk/jobs?skip=20&limit=1&status=paused",
    "/bulk/jobs/j1/results?limit=1&status=risky",
    "/webhooks/w1/deliveries?state=failed",
  ]);
});

test("results are iterated page by page", async () => {
  const rows = Array.from({ length: 230 }, (_, index) => resultOf(index + 1));
  await using service = await openScriptedService((response, request) => {
    const afterRow = Number(new URLSearchParams(request.url.split("?")[1]).get("after_row"));
    json(rows.filter(({ row }) => row > afterRow).slice(0, 100))(response, request);
  });
  const seen: number[] = [];
  for await (const { row } of clientOf(service).jobs.results("j1")) seen.push(row);
  expect(seen).toEqual(rows.map(({ row }) => row));
  expect(service.requests).toHaveLength(3);
});

test("results of a service that ignores the cursor end with an error", async () => {
  await using service = await openScriptedService(json([resultOf(1), resultOf(2)]));
  const seen: number[] = [];
  const readAll = async () => {
    for await (const { row } of clientOf(service).jobs.results("j1", { limit: 2 })) {
      seen.push(row);
      if (seen.length > 4) return;
    }
  };
  await expect(readAll()).rejects.toMatchObject({ reason: "invalid_response" });
  expect(seen).toEqual([1, 2]);
});

test("results in an order that changes while the job runs are iterated only after its end", async () => {
  await using service = await openScriptedService(json([]));
  for (const sort of ["-score", "checked_at", "email"] as const)
    for await (const _ of clientOf(service).jobs.results("j1", { sort }));
  const finals = service.requests.map(({ url }) => new URLSearchParams(url.split("?")[1]).get("final"));
  expect(finals).toEqual(["true", "true", null]);
});

const LIST = "name,email\nAnn,ann@shop.io\n";

/** The only part of the form, parsed. */
function partOf(body: string): { head: string; content: string } {
  const [, head = "", content = ""] = /^--.*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)\r\n--.*--\r\n$/.exec(body) ?? [];
  return { head, content };
}

test("a file is sent as a form and retried with the same key when the connection breaks", async () => {
  await using service = await openScriptedService(disconnects, problem(503, "overloaded"), json(PREVIEW));
  const file = new File([LIST], "people.csv");
  expect(await clientOf(service).jobs.upload(file)).toEqual(PREVIEW);
  expect(service.requests).toHaveLength(3);
  expect(new Set(service.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  const { head, content } = partOf(service.requests[2]!.body);
  expect(head).toContain('name="file"; filename="people.csv"');
  expect(content).toBe(LIST);
});

async function* inPieces() {
  for (const character of LIST) yield new TextEncoder().encode(character);
}

test.for<[string, () => ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>]>([
  ["a stream", () => new Blob([LIST]).stream()],
  ["anything that gives bytes", inPieces],
])("%s can be sent too, in pieces", async ([, open]) => {
  await using service = await openScriptedService(json(PREVIEW));
  await clientOf(service).jobs.upload({ name: 'a "good"\r\nlist.csv', content: open() });
  const { head, content } = partOf(service.requests[0]!.body);
  expect(head).toContain('filename="a %22good%22%0D%0Alist.csv"');
  expect(content).toBe(LIST);
  expect(service.requests[0]!.headers["transfer-encoding"]).toBe("chunked");
});

test("a consumed stream is not sent again", async () => {
  await using service = await openScriptedService(disconnects);
  const upload = clientOf(service).jobs.upload({ name: "list.csv", content: inPieces() });
  expect(await failureOf(upload)).toMatchObject({ reason: "no_connection" });
  expect(service.requests).toHaveLength(1);
});

test("every chunk of a slow source restarts the timeout", async () => {
  async function* slowly() {
    for (const word of ["a@b.io\n", "c@d.io\n", "e@f.io\n", "g@h.io\n"]) {
      yield new TextEncoder().encode(word);
      vi.advanceTimersByTime(5_000);
    }
  }
  await using service = await openScriptedService(json(PREVIEW));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { jobs } = clientOf(service, { timeoutMs: 16_000 }); // less than all chunks take together
  expect(await jobs.upload({ name: "list.csv", content: slowly() })).toEqual(PREVIEW);
});

test("an upload whose response does not end times out", async () => {
  await using service = await openScriptedService((response) => {
    response.writeHead(200, { "content-type": "application/json" }).write('{"upload_id":');
  });
  const { jobs } = clientOf(service, { timeoutMs: 500, retries: 0 });
  const upload = jobs.upload({ name: "list.csv", content: new Blob(["email\na@b.io\n"]) });
  expect(await whileCollecting(failureOf(upload))).toMatchObject({ reason: "timeout" });
});

test("an upload is not buffered in memory", async () => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end(JSON.stringify(PREVIEW)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const heldBytes = () => process.memoryUsage().arrayBuffers;
  const before = heldBytes();
  let most = 0;
  async function* large() {
    for (let n = 0; n < 3000; n++) {
      yield new Uint8Array(64 * 1024);
      most = Math.max(most, heldBytes() - before);
    }
  }
  const { jobs } = clientOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  expect(await jobs.upload({ name: "list.csv", content: large() })).toEqual(PREVIEW);
  server.close();
  server.closeAllConnections();
  expect(most).toBeLessThan(96 * 1024 * 1024); // half of the file, to allow for garbage not yet collected
});

test("a file is not sent to the target of a redirect", async () => {
  await using elsewhere = await openScriptedService(json(PREVIEW));
  await using service = await openScriptedService(page(308, { location: elsewhere.url }));
  const error = await failureOf(clientOf(service).jobs.upload(new Blob([LIST])));
  expect(error).toMatchObject({ reason: "redirected" });
  expect(elsewhere.requests).toEqual([]);
});

test("a problem with a file contains its figures", async () => {
  await using service = await openScriptedService(problem(413, "too_many_emails", { found: 12, limit: 10 }));
  const error = await failureOf(clientOf(service).jobs.upload(new Blob([LIST])));
  expect(error).toBeInstanceOf(MailvetProblem);
  expect(error).toMatchObject({ code: "too_many_emails", found: 12, limit: 10 });
});

const half = jobOf({ processed: 1, progress_percent: 33 });

/** Interruptions of the event stream, none of which ends the wait. */
const INTERRUPTIONS: [string, Handler | [Handler, ...Handler[]]][] = [
  ["break off", eventStream(progressEvent(half), "disconnect")],
  ["end with the service", eventStream(progressEvent(half))],
  ["are refused for a moment", problem(503, "overloaded")],
  ["fail", problem(500, "internal_error")],
  ["are hidden by a proxy", page(502)],
  ["never begin", disconnects],
  ["are held back", eventStream("", "open")],
];

test.for(INTERRUPTIONS)("events that %s are requested again", async ([, interruption]) => {
  const get = problem(500, "internal_error");
  const ending = eventStream(
    `: alive\n\nevent: news\ndata: {}\n\n${progressEvent(half)}${endEvent(COMPLETED)}`,
  );
  await using service = await openScriptedService(
    atPaths({
      [`GET ${JOB_PATH}/events`]: [[interruption].flat()[0]!, ending],
      [`GET ${JOB_PATH}`]: get,
    }),
  );
  const seen: number[] = [];
  const { jobs } = clientOf(service, { timeoutMs: 2000, retries: 0 });
  const job = await jobs.wait(JOB_ID, { onProgress: ({ processed }) => seen.push(processed) });
  expect(job).toEqual(COMPLETED);
  expect(seen.slice(-2)).toEqual([1, 3]);
});

test("a job that does not change for longer than patienceMs is still followed when its events end", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  await using service = await openScriptedService(
    atPaths({
      [`GET ${JOB_PATH}/events`]: [
        (response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(progressEvent(half));
          endEvents = () => response.end();
        },
        eventStream(endEvent(COMPLETED)),
      ],
      [`GET ${JOB_PATH}`]: json(half),
    }),
  );
  let endEvents = () => {};
  const waiting = clientOf(service).jobs.wait(JOB_ID, {
    onProgress() {
      vi.advanceTimersByTime(30 * 60_000); // the service ends a stream after this time
      endEvents();
    },
  });
  expect(await waiting).toEqual(COMPLETED);
});

test("without events, the job is polled", async () => {
  await using service = await openScriptedService(
    atPaths({ [`GET ${JOB_PATH}/events`]: disconnects, [`GET ${JOB_PATH}`]: [json(half), json(COMPLETED)] }),
  );
  const seen: string[] = [];
  for await (const { status } of clientOf(service, { retries: 0 }).jobs.events(JOB_ID)) seen.push(status);
  expect(seen).toEqual(["processing", "completed"]);
});

test("waiting for an unknown job fails at once", async () => {
  await using service = await openScriptedService(problem(404, "job_not_found"));
  expect(await failureOf(clientOf(service).jobs.wait(JOB_ID))).toMatchObject({ code: "job_not_found" });
  expect(service.requests).toHaveLength(1);
});

test("waiting for an unreachable service ends after patienceMs", async () => {
  await using service = await openScriptedService(disconnects);
  const waiting = clientOf(service, { retries: 0 }).jobs.wait(JOB_ID, { patienceMs: 700 });
  expect(await failureOf(waiting)).toMatchObject({ reason: "no_connection" });
});

test("an unreachable service is asked again until the wait is aborted", async () => {
  const reason = new Error("the user went away");
  const controller = new AbortController();
  await using service = await openScriptedService(disconnects, disconnects, (response, request) => {
    controller.abort(reason);
    disconnects(response, request);
  });
  const waiting = clientOf(service, { retries: 0 }).jobs.wait(JOB_ID, { signal: controller.signal });
  expect(await failureOf(waiting)).toBe(reason);
});

test("a signal aborts the wait, also between two events", async () => {
  await using service = await openScriptedService(eventStream(progressEvent(half), "open"));
  const reason = new Error("the user went away");
  const controller = new AbortController();
  const waiting = clientOf(service).jobs.wait(JOB_ID, {
    signal: controller.signal,
    onProgress: () => setTimeout(() => controller.abort(reason), 20),
  });
  expect(await failureOf(waiting)).toBe(reason);
});

test("a file that is still being written is asked for again", async () => {
  const progress = json({ state: "preparing", size_bytes: 0 }, {}, 202);
  await using service = await openScriptedService(progress, progress, json("the file"));
  const answer = await clientOf(service).operator.exportAccount("a1");
  expect([answer.status, await answer.json(), service.requests.length]).toEqual([200, "the file", 3]);
});

test("a download is a stream of bytes", async () => {
  await using service = await openScriptedService(bytes("email,mailvet_status\nann@shop.io,valid\n"));
  const answer = await clientOf(service).jobs.download("j1", { format: "csv", status: "valid" });
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(await answer.text()).toBe("email,mailvet_status\nann@shop.io,valid\n");
  expect(service.requests[0]!.url).toBe("/api/v1/bulk/jobs/j1/download?format=csv&status=valid");
});

test.for<[string, Handler, object]>([
  ["is not ready", problem(409, "results_not_ready"), { code: "results_not_ready" }],
  ["is a proxy's page", page(200), { reason: "invalid_response", status: 200 }],
])("a download that %s is refused before its first byte", async ([, line, expected]) => {
  await using service = await openScriptedService(line);
  expect(await failureOf(clientOf(service).jobs.download("j1"))).toMatchObject(expected);
});

test.for<[string, Handler, string, { timeoutMs?: number }]>([
  ["breaks off", eventStream("half a fi", "disconnect"), "no_connection", {}],
  ["stands still", eventStream("half a fi", "open"), "timeout", { timeoutMs: 2000 }],
])("a download that %s is never taken for a whole one", async ([, line, reason, options]) => {
  await using service = await openScriptedService(line);
  const text = clientOf(service, options)
    .jobs.download("j1")
    .then((answer) => answer.text());
  expect(await failureOf(text)).toMatchObject({ reason });
});

test("a slow reader of a download does not time out", async () => {
  await using service = await openScriptedService(bytes("a whole file"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answer = await clientOf(service, { timeoutMs: 10_000 }).jobs.download("j1");
  vi.advanceTimersByTime(15_000);
  expect(await answer.text()).toBe("a whole file");
});
