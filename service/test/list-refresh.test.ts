/** The service refreshes its list of disposable domains by itself, from a list server on loopback. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEngineSettings, refreshLists, settingsFrom, verifierFrom } from "@mailvet/engine";
import { expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../src/config.ts";
import { createLog } from "../src/log.ts";
import { type ListRefreshSettings, startListRefresh } from "../src/system/list-refresh.ts";
import { PATIENCE } from "./patience.ts";
import { openService } from "./service.ts";

const HOUR_MS = 3_600_000;
const NAMES = Array.from({ length: 1_200 }, (_, i) => `disposable-${i}.example-lab.com`);
const goodList: RequestListener = (_, response) => response.end(NAMES.join("\n"));

/** Its address, and how often it was asked. */
async function serve(listener: RequestListener): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/list.txt`, asked: () => asked };
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "mailvet-lists-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

function keep(settings: ListRefreshSettings, nowMs?: () => number) {
  const verifier = verifierFrom(readEngineSettings(settingsFrom({ LISTS_DIR: settings.directory })));
  const logged: Record<string, unknown>[] = [];
  const log = createLog({
    level: "info",
    addresses: "masked",
    destination: { write: (line: string) => void logged.push(JSON.parse(line)) },
  });
  const refresh = startListRefresh({ ...settings, lists: verifier.lists, log, ...(nowMs && { nowMs }) });
  onTestFinished(async () => {
    await refresh.close();
    await verifier.close();
  });
  const isDisposable = (domain: string) =>
    verifier.begin(`ann@${domain}`, "syntax").evidence.disposable !== undefined;
  return { refresh, logged, isDisposable };
}

test("LISTS_REFRESH=daily: a service loads a new list soon after its start, and reports it", async () => {
  const { url } = await serve(goodList);
  const env = { LISTS_REFRESH: "daily", LISTS_DIR: temporaryDirectory(), LISTS_SOURCES: url };
  await using service = await openService({ env });
  const cookie = await service.operatorCookie();
  const refreshed = async () => {
    const { lists } = (await service.ask("/operator/system", { cookie })).body;
    expect(lists).toMatchObject({ source: "refreshed", age_days: 0, refresh: "daily", last_failure: null });
  };
  await vi.waitFor(refreshed, PATIENCE);
  const { key } = await service.openAccount();
  const query = "?email=ann@disposable-7.example-lab.com&level=syntax";
  const { body } = await service.ask(`/validation/single${query}`, { key });
  expect(body).toMatchObject({ sub_status: "disposable", details: { is_disposable: true } });
});

test("a failing source changes nothing; the failure is logged, reported, and cleared by the next success", async () => {
  let listener: RequestListener = (_, response) => response.writeHead(500).end();
  const { url } = await serve((request, response) => listener(request, response));
  const directory = temporaryDirectory();
  const { refresh, logged, isDisposable } = keep({ refresh: "daily", directory, sources: [url] });
  await refresh.run();
  expect(refresh.report()).toMatchObject({
    source: "packaged",
    last_failure: { at: expect.any(String), reason: `${url}: answered 500` },
  });
  expect(logged).toContainEqual(
    expect.objectContaining({
      level: "warn",
      event: "lists_refresh_failed",
      problems: [{ source: url, reason: "answered 500" }],
    }),
  );
  expect(isDisposable(NAMES[0]!)).toBe(false);

  listener = goodList;
  await refresh.run();
  expect(refresh.report()).toMatchObject({ source: "refreshed", last_failure: null });
  expect(logged.at(-1)).toMatchObject({ level: "info", event: "lists_refreshed", added: 1_200, removed: 0 });
  expect(isDisposable(NAMES[0]!)).toBe(true); // though it was looked up before
});

test("a list younger than a day is kept, an older one is downloaded again", async () => {
  const { url, asked } = await serve(goodList);
  let laterMs = 0;
  const settings = { refresh: "daily", directory: temporaryDirectory(), sources: [url] } as const;
  const { refresh } = keep(settings, () => Date.now() + laterMs);
  await refresh.run();
  expect(asked()).toBe(1);
  laterMs = 23 * HOUR_MS;
  await refresh.run();
  expect(asked()).toBe(1);
  laterMs = 49 * HOUR_MS;
  expect(refresh.report()).toMatchObject({ age_days: 2 });
  await refresh.run();
  expect(asked()).toBe(2);
});

test("LISTS_REFRESH=off downloads nothing, but loads lists written to the directory", async () => {
  const { url, asked } = await serve(goodList);
  const directory = temporaryDirectory();
  const { refresh, logged, isDisposable } = keep({ refresh: "off", directory, sources: [url] });
  await refresh.run();
  expect(asked()).toBe(0);
  expect(isDisposable(NAMES[0]!)).toBe(false);
  expect(await refreshLists({ directory, sources: [{ url }] })).toMatchObject({ outcome: "refreshed" });
  await refresh.run();
  expect(isDisposable(NAMES[0]!)).toBe(true);
  expect(asked()).toBe(1);
  await refresh.run();
  expect(logged.map(({ event }) => event)).toEqual(["lists_reloaded"]);
});

test("close does not wait for a silent source", async () => {
  let ring = () => {};
  const begun = new Promise<void>((resolve) => {
    ring = resolve;
  });
  const { url } = await serve(() => ring());
  const { refresh, logged } = keep({ refresh: "daily", directory: temporaryDirectory(), sources: [url] });
  await begun;
  await refresh.close();
  expect(logged).toEqual([]);
});

test("settings: off by default; daily needs a directory", () => {
  const read = (env: Record<string, string>) => readConfig(env, ".");
  const external = { DATABASE_URL: "postgres://localhost/mailvet" };
  expect(read(external).lists).toEqual({ refresh: "off", directory: undefined, sources: [] });
  expect(() => read({ ...external, LISTS_REFRESH: "daily" })).toThrow("LISTS_DIR to be set as well");
  expect(() => read({ LISTS_REFRESH: "hourly" })).toThrow("one of daily, off");
  expect(() => read({ LISTS_SOURCES: "ftp://example.com/list" })).toThrow("an http or https address");
  const embedded = read({ DATA_DIR: "/srv/mailvet", LISTS_REFRESH: "daily" });
  expect(embedded.lists).toMatchObject({ refresh: "daily", directory: "/srv/mailvet/lists" });
  expect(embedded.engine.listsDirectory).toBe("/srv/mailvet/lists");
});
