/** List refresh from a loopback server that is well-behaved, broken, slow or hostile. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadDisposables } from "../src/reference/disposable.ts";
import { refreshLists } from "../src/reference/list-refresh.ts";
import { whileCollecting } from "./garbage.ts";

test("new names are merged with the packaged ones and used from then on", async () => {
  const server = await serve({
    "/domains.txt": text(["# made today", ...freshNames(1200), "*.Wild.example"].join("\n")),
    "/array.json": text(JSON.stringify(["fresh-json.example", "@at.example"])),
    "/object.json": text(JSON.stringify({ t: 1, domains: { "fresh-object.example": { providers: [] } } })),
  });
  const directory = temporaryDirectory();
  const packaged = loadDisposables();

  const result = await refreshLists({
    directory,
    sources: [
      { url: `${server}/domains.txt` },
      { url: `${server}/array.json`, minNames: 1 },
      { url: `${server}/object.json`, minNames: 1 },
    ],
  });

  expect(result).toMatchObject({
    outcome: "refreshed",
    added: 1204,
    removed: 0,
    withheld: [],
    manifest: {
      names: packaged.size + 1204,
      sources: [
        { from: `${server}/domains.txt`, names: 1201 },
        { from: `${server}/array.json`, names: 2 },
        { from: `${server}/object.json`, names: 1 },
      ],
    },
  });
  const refreshed = loadDisposables({ directory });
  expect(refreshed.origin.list).toBe("refreshed");
  for (const name of [
    "fresh-7.example",
    "a.wild.example",
    "fresh-json.example",
    "at.example",
    "mailinator.com",
  ]) {
    expect(refreshed.isDisposableDomain(name), name).toBe(true);
  }
});

test("providers, relays, universities and public suffixes in a source are left out and reported", async () => {
  const swept = ["wp.pl", "duck.com", "nus.edu.sg", "co.uk", "eu.org"];
  const server = await serve({ "/": text([...freshNames(1000), ...swept].join("\n")) });
  const directory = temporaryDirectory();

  const result = await refreshLists({ directory, sources: [{ url: server }] });

  expect(result).toMatchObject({ outcome: "refreshed", added: 1000, withheld: [...swept].sort() });
  const refreshed = loadDisposables({ directory });
  for (const name of [...swept, "example.co.uk"])
    expect(refreshed.isDisposableDomain(name), name).toBe(false);
});

const SEVERAL_NAMES = freshNames(1000).join("\n");

test.each<[string, RequestListener, RegExp]>([
  ["answers with an error", (_, answer) => answer.writeHead(500).end("no"), /answered 500/],
  [
    "sends an error page with a good status",
    text(`<html>\n${"<p>Sorry</p>\n".repeat(2000)}</html>`),
    /not a list of domain names/,
  ],
  ["has been cut short", text("a.example\nb.example"), /only 2 names/],
  ["is empty", text("# to do\n"), /is empty/],
  ["returns JSON that is not a list", text('{"error":"rate limited"}'), /not a list of names/],
  ["returns invalid JSON", text('["a.example",'), /invalid JSON/],
  ["contains a large provider", text(`${SEVERAL_NAMES}\ngmail.com`), /contains gmail\.com/],
  ["closes the connection halfway", closesHalfway, /terminated|aborted|other side closed/],
  ["never answers", () => {}, /within 4000 ms/],
  ["never ends", trickles, /within 4000 ms/],
])("a source that %s changes nothing, and the reason is reported", async (_, listener, reason) => {
  const server = await serve({ "/good": text(SEVERAL_NAMES), "/bad": listener });
  const directory = temporaryDirectory();

  const result = await refreshLists({
    directory,
    sources: [{ url: `${server}/good` }, { url: `${server}/bad` }],
    timeoutMs: reason.source.startsWith("within") ? 4000 : 120_000,
  });

  expect(result).toEqual({
    outcome: "refused",
    problems: [{ source: `${server}/bad`, reason: expect.stringMatching(reason) }],
  });
  expect(readdirSync(directory)).toEqual([]);
});

test.each([
  ["never answers", () => {}],
  ["never ends", trickles],
] as [string, RequestListener][])(
  "a source that %s is given up where the caller has a signal of its own",
  async (_, bad) => {
    const server = await serve({ "/": bad });
    const closing = new AbortController();
    const refreshed = refreshLists({
      directory: temporaryDirectory(),
      sources: [{ url: server }],
      timeoutMs: 500,
      fetch: (input, init) =>
        fetch(input, { ...init, signal: AbortSignal.any([closing.signal, init!.signal!]) }),
    });

    expect(await whileCollecting(refreshed)).toMatchObject({
      problems: [{ reason: expect.stringContaining("within 500 ms") }],
    });
  },
);

test("an oversized source is cut off, not read to its end", async () => {
  let sentBytes = 0;
  const flood: RequestListener = (_, answer) => {
    const block = Buffer.alloc(1024 * 1024, "a.example\n");
    const pour = () => {
      while (!answer.destroyed && sentBytes < 200 * block.length && answer.write(block))
        sentBytes += block.length;
    };
    answer.on("drain", pour).on("error", () => {});
    pour();
  };
  const server = await serve({ "/": flood });

  const result = await refreshLists({ directory: temporaryDirectory(), sources: [{ url: server }] });

  expect(result).toMatchObject({
    outcome: "refused",
    problems: [{ reason: expect.stringContaining("larger than") }],
  });
  expect(sentBytes).toBeLessThan(100 * 1024 * 1024);
});

test("a source that has shrunk by more than a third is rejected until forced, and the old list stays", async () => {
  let names = freshNames(6000);
  const server = await serve({ "/": (_, answer) => answer.end(names.join("\n")) });
  const directory = temporaryDirectory();
  const sources = [{ url: server }];
  await refreshLists({ directory, sources });

  names = names.slice(0, 3000);
  const refused = await refreshLists({ directory, sources });
  expect(refused).toMatchObject({
    outcome: "refused",
    problems: [{ reason: "lists 3000 names where it listed 6000 last time" }],
  });
  expect(loadDisposables({ directory }).isDisposableDomain("fresh-5999.example")).toBe(true);

  const forced = await refreshLists({ directory, sources, force: true });
  expect(forced).toMatchObject({ outcome: "refreshed", added: 0, removed: 3000 });
  expect(loadDisposables({ directory }).isDisposableDomain("fresh-5999.example")).toBe(false);
  expect(readdirSync(directory)).toHaveLength(2); // the manifest and its one list, nothing left over
});

test("a short list is accepted when forced", async () => {
  const server = await serve({ "/": text("only.example\nthese.example\n") });
  const directory = temporaryDirectory();
  const sources = [{ url: server }];

  expect(await refreshLists({ directory, sources })).toMatchObject({ outcome: "refused" });
  expect(await refreshLists({ directory, sources, force: true })).toMatchObject({
    outcome: "refreshed",
    added: 2,
  });
});

test("an unreachable source and an empty list of sources are reported", async () => {
  const directory = temporaryDirectory();
  const refused = await refreshLists({ directory, sources: [{ url: "http://127.0.0.1:9/" }] });
  expect(refused).toMatchObject({ outcome: "refused", problems: [{ reason: expect.stringMatching(/./) }] });
  expect(await refreshLists({ directory, sources: [] })).toMatchObject({ outcome: "refused" });
});

test("a directory that cannot be written is reported, and the lists keep working", async () => {
  const server = await serve({ "/": text(SEVERAL_NAMES) });
  const blocked = join(temporaryDirectory(), "file");
  writeFileSync(blocked, "in the way");

  const result = await refreshLists({ directory: join(blocked, "lists"), sources: [{ url: server }] });

  expect(result).toMatchObject({
    outcome: "refused",
    problems: [{ reason: expect.stringMatching(/ENOTDIR|EEXIST/) }],
  });
  expect(loadDisposables({ directory: join(blocked, "lists") }).isDisposableDomain("mailinator.com")).toBe(
    true,
  );
});

test("two concurrent refreshes leave one complete list", async () => {
  const server = await serve({ "/a": text(SEVERAL_NAMES), "/b": text(freshNames(2000).join("\n")) });
  const directory = temporaryDirectory();

  await Promise.all(
    ["a", "b"].map((path) => refreshLists({ directory, sources: [{ url: `${server}/${path}` }] })),
  );

  const { origin, isDisposableDomain } = loadDisposables({ directory });
  expect(isDisposableDomain("mailinator.com")).toBe(true);
  expect(isDisposableDomain("fresh-1.example")).toBe(true);
  expect(origin.list).toBe("refreshed");
});

function freshNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `fresh-${index}.example`);
}

function text(body: string): RequestListener {
  return (_, answer) => answer.end(body);
}

function closesHalfway(...[, answer]: Parameters<RequestListener>): void {
  answer.writeHead(200, { "content-length": "100000" });
  answer.write("a.example\n", () => answer.destroy());
}

function trickles(...[, answer]: Parameters<RequestListener>): void {
  const drip = setInterval(() => answer.write("a.example\n"), 20);
  answer.on("close", () => clearInterval(drip));
}

async function serve(paths: Record<string, RequestListener>): Promise<string> {
  const server = createServer((request, answer) => {
    const listener = paths[request.url ?? ""];
    if (listener === undefined) answer.writeHead(404).end();
    else listener(request, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "mailvet-refresh-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
