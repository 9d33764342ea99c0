/** Traces over API, queue, slice and SMTP session, as an OTLP collector receives them from separate processes. */
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { openTestDatabase } from "./database.ts";
import { openCollector, type ReceivedSpan } from "./otlp-collector.ts";
import { openProgramInstallation, type Program } from "./program.ts";
import { formWith, urlOf } from "./service.ts";
import { answers, openReceiver } from "./webhooks-receiver.ts";

const KEY = "tracing-key-of-forty-characters-0123456789";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SINGLE_TRACE = "a".repeat(32);
const CLIENT_SPAN = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE}-${CLIENT_SPAN}-01`;

async function stop({ child, exit }: Program): Promise<void> {
  child.kill("SIGTERM");
  expect(await exit()).toBe(0);
}

/** Requests to the API of a program, with JSON or a form. */
function clientOf({ url }: Program) {
  return async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: body ? "POST" : "GET",
      headers: {
        "x-api-key": KEY,
        ...(body && !isForm ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      body: isForm ? body : body ? JSON.stringify(body) : null,
    });
    expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    return (await answer.json()) as any;
  };
}

test("a job is one trace over API, queue, slices, SMTP sessions and webhook, without any address", async () => {
  const isUser = ({ localPart }: { localPart: string }) => localPart.startsWith("secretann");
  await using lab = await openLab({
    "plain.test": mailDomain({ users: isUser }),
    "other.test": mailDomain({ users: isUser }),
  });
  await using collector = await openCollector();
  await using receiver = await openReceiver();
  receiver.behave(answers(204));
  await using database = await openTestDatabase();
  await using installation = openProgramInstallation();
  const env = {
    DATABASE_URL: urlOf(database),
    BOOTSTRAP_API_KEY: KEY,
    ADMIN_CREDITS: "1000",
    ...lab.env,
    ENGINE_THREADS: "2",
    EHLO_NAME: "probe.mailvet-lab.example",
    PROBE_TIMEOUT_SECONDS: "120",
    LOG_LEVEL: "warn",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: "mailvet under test",
    OTEL_TRACES_SAMPLER: "parentbased_always_off", // only requests with a sampled traceparent are traced
    OTEL_BSP_SCHEDULE_DELAY: "100",
  };
  const api = await installation.start({ ...env, ROLE: "api" });
  const worker = await installation.start({ ...env, ROLE: "worker" });
  const ask = clientOf(api);
  await ask("/webhooks", { url: receiver.url, events: ["job.completed"] });

  const emails = ["plain.test", "other.test"].flatMap((domain) =>
    ["secretann1", "secretann2", "secretgone"].map((name) => `${name}@${domain}`),
  );
  const preview = await ask("/bulk/upload/preview", formWith(`email\n${emails.join("\n")}\n`));
  const confirmation = { upload_id: preview.upload_id, email_column: "email" };
  const { id } = await ask("/bulk/upload/confirm", confirmation, { traceparent: TRACEPARENT });
  await expect.poll(async () => (await ask(`/bulk/jobs/${id}`)).status).toBe("completed");
  await ask(
    "/validation/single",
    { email: "secretann3@plain.test" },
    { traceparent: `00-${SINGLE_TRACE}-${CLIENT_SPAN}-01` },
  );
  await ask("/validation/single", { email: "secretann4@plain.test" }, { traceparent: "00-garbage" });
  await expect.poll(() => receiver.received.length).toBe(1);

  const { spans } = collector;
  const spansOf = (trace: string) => spans.filter(({ traceId }) => traceId === trace);
  const pathOf = (span: ReceivedSpan): string[] => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return [span.name, ...(parent ? pathOf(parent) : [String(span.parentSpanId)])];
  };
  // A row that is checked again later is in a slice of its own, inside the first.
  const withoutRetries = (path: string) => path.replace(/(run slice < )+/, "run slice < ");
  const pathsOfJob = () => new Set(spansOf(TRACE).map((span) => withoutRetries(pathOf(span).join(" < "))));
  const confirm = `POST /api/v1/bulk/upload/confirm < ${CLIENT_SPAN}`;
  const expectedPaths = new Set([
    confirm,
    `run plan < ${confirm}`,
    `run slice < run plan < ${confirm}`,
    `DNS lookup < run slice < run plan < ${confirm}`,
    `SMTP session < run slice < run plan < ${confirm}`,
    `run delivery < run slice < run plan < ${confirm}`,
  ]);
  const sessionsOfJob = () => spansOf(TRACE).filter(({ name }) => name === "SMTP session");
  const hostsOfJob = () => new Set(sessionsOfJob().map(({ attributes }) => attributes["server.address"]));
  const namesOfSingle = () => new Set(spansOf(SINGLE_TRACE).map(({ name }) => name));
  const expectedNames = new Set(["POST /api/v1/validation/single", "SMTP session", "DNS lookup"]);
  // Before the stop, which does not wait for long until spans are exported.
  await expect.poll(pathsOfJob).toEqual(expectedPaths);
  await expect.poll(hostsOfJob).toEqual(new Set(["mx.plain.test", "mx.other.test"]));
  await expect.poll(namesOfSingle).toEqual(expectedNames);
  await Promise.all([stop(api), stop(worker)]);

  expect(pathsOfJob()).toEqual(expectedPaths);
  const ofJob = spansOf(TRACE);
  const slices = ofJob.filter(({ name }) => name === "run slice");
  for (const { attributes } of slices) expect(attributes).toMatchObject({ "mailvet.job_id": id });
  for (const { attributes } of sessionsOfJob())
    expect(attributes).toMatchObject({
      "mailvet.provider": "other",
      "mailvet.identity": "default",
      "mailvet.outcome": "completed",
    });
  const [delivery] = ofJob.filter(({ name }) => name === "run delivery");
  expect(receiver.received[0]!.headers.traceparent).toBe(`00-${TRACE}-${delivery!.spanId}-01`);

  // A single check is a trace of its own. One with a malformed header is a new one, which the sampler drops.
  expect(namesOfSingle()).toEqual(expectedNames);
  expect(spans).toHaveLength(ofJob.length + spansOf(SINGLE_TRACE).length);
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(["mailvet under test"]));
  const text = collector.text();
  expect(text).not.toContain("secret");
  expect(text).not.toContain("@");
  expect(text).not.toContain(KEY);
});

test("a collector that does not answer delays no request, and the spans that it gets are limited", async () => {
  await using collector = await openCollector({ answers: false });
  await using database = await openTestDatabase();
  await using installation = openProgramInstallation();
  const program = await installation.start({
    DATABASE_URL: urlOf(database),
    BOOTSTRAP_API_KEY: KEY,
    DNS_SERVERS: "127.0.0.1:9",
    LOG_LEVEL: "warn",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "5",
    OTEL_BSP_MAX_QUEUE_SIZE: "10",
    // Longer than the test: the first batch stays in flight.
    OTEL_EXPORTER_OTLP_TIMEOUT: "3600000",
    OTEL_BSP_EXPORT_TIMEOUT: "3600000",
  });
  const ask = clientOf(program);
  for (let i = 0; i < 60; i++) await ask("/validation/single", { email: `valid+${i}@mailvet.test` });
  await expect.poll(() => collector.spans.length).toBeGreaterThanOrEqual(5);
  await stop(program);
  expect(collector.spans.length).toBeLessThanOrEqual(5 + 10);
});

test("a collector that is down is reported, and costs nothing else", async () => {
  await using database = await openTestDatabase();
  await using installation = openProgramInstallation();
  const program = await installation.start({
    DATABASE_URL: urlOf(database),
    BOOTSTRAP_API_KEY: KEY,
    DNS_SERVERS: "127.0.0.1:9",
    LOG_LEVEL: "warn",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_BSP_SCHEDULE_DELAY: "1",
  });
  await clientOf(program)("/validation/single", { email: "valid@mailvet.test" });
  while (!program.output().includes("traces_export_failed")) await once(program.child, "output");
  await stop(program);
});

test("OpenTelemetry is loaded only where traces are exported", async () => {
  await using collector = await openCollector();
  await using database = await openTestDatabase();
  await using installation = openProgramInstallation();
  const loadedWith = async (name: string, env: Record<string, string>) => {
    const folder = join(installation.folder, name);
    const program = await installation.start({
      DATABASE_URL: urlOf(database),
      DNS_SERVERS: "127.0.0.1:9",
      NODE_V8_COVERAGE: folder, // lists the scripts of all threads
      ...env,
    });
    await stop(program);
    return otelSourcesIn(scriptsIn(folder));
  };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  expect(await loadedWith("without", {})).toEqual([]);
  expect((await loadedWith("with", endpoint)).length).toBeGreaterThan(50);
});

test("traces are exported when an endpoint is set and OpenTelemetry is not disabled", () => {
  const exportsTraces = (env: Record<string, string>) => readConfig(env, ".").exportsTraces;
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318" };
  expect(exportsTraces({})).toBe(false);
  expect(exportsTraces(endpoint)).toBe(true);
  expect(exportsTraces({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/v1" })).toBe(true);
  expect(exportsTraces({ ...endpoint, OTEL_SDK_DISABLED: "true" })).toBe(false);
  expect(exportsTraces({ ...endpoint, OTEL_TRACES_EXPORTER: "none" })).toBe(false);
  expect(() => exportsTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })).toThrow(
    /OTEL_EXPORTER_OTLP_ENDPOINT/,
  );
});

function scriptsIn(coverageFolder: string): string[] {
  const urls = readdirSync(coverageFolder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverageFolder, file), "utf8"));
    return (result as { url: string }[]).map(({ url }) => url);
  });
  const files = [...new Set(urls)].filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
  expect(files.filter((file) => file.endsWith("service/dist/main.js"))).toHaveLength(1);
  return files;
}

/** Modules of the SDK and the exporter, in a bundle or by themselves. The bare API is a dependency of prom-client. */
function otelSourcesIn(scripts: readonly string[]): string[] {
  const sources = scripts.flatMap((script) => {
    const map = `${script}.map`; // a bundle has one, its runtime has none
    return existsSync(map)
      ? [script, ...(JSON.parse(readFileSync(map, "utf8")).sources as string[])]
      : script;
  });
  return sources.filter((source) => /@opentelemetry\/(?!api\/)|otlp-tracing/.test(source));
}
