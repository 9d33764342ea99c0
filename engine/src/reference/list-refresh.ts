/**
 * Fetches fresh lists of throw-away domains, so that a deployment need not wait for a release.
 *
 * What the sources list joins the packaged names, except for protected domains and public suffixes. It is
 * all or nothing: when one source cannot be believed (list-source.ts), the list in use stays as it is, and
 * the result says why.
 */

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getPublicSuffix } from "tldts";
import { directoryUrl, listInUse, packagedDomains } from "./disposable.ts";
import { nameListBytes } from "./domain-list.ts";
import {
  describeList,
  type ListManifest,
  MANIFEST_FILE,
  REFRESHED_FILE_NAME,
  readListManifest,
} from "./list-manifest.ts";
import { type ListSource, readListSource } from "./list-source.ts";
import { isProtectedDomain } from "./protected-domains.ts";

export type RefreshOptions = {
  /** Where refreshed lists are kept; made when it is not there. */
  directory: string;
  sources?: readonly ListSource[];
  /** Accept sources that are short, or have become much shorter since the last refresh. */
  force?: boolean;
  fetch?: typeof globalThis.fetch;
  /** For each source, from the question to the last byte. */
  timeoutMs?: number;
};

export type RefreshResult =
  | {
      readonly outcome: "refreshed";
      readonly manifest: ListManifest;
      /** Against the list in use before. */
      readonly added: number;
      readonly removed: number;
      /** Names the sources listed and we left out. */
      readonly withheld: readonly string[];
    }
  | { readonly outcome: "refused"; readonly problems: readonly RefreshProblem[] };

export type RefreshProblem = {
  /** Its address, or the directory that could not be written. */
  readonly source: string;
  readonly reason: string;
};

export async function refreshLists(options: RefreshOptions): Promise<RefreshResult> {
  const { directory, sources = DEFAULT_SOURCES, force = false, fetch = globalThis.fetch } = options;
  const last = readListManifest(directoryUrl(directory));
  const problems: RefreshProblem[] = [];
  const heard: Heard[] = [];
  await Promise.all(
    sources.map(async (source, index) => {
      const namesBefore = last?.sources.find(({ from }) => from === source.url)?.names;
      const timeoutMs = options.timeoutMs ?? PATIENCE_MS;
      const answer = await readListSource(source, { fetch, timeoutMs, namesBefore, force });
      if ("reason" in answer) problems.push({ source: source.url, reason: answer.reason });
      else heard[index] = { from: source.url, names: answer.names };
    }),
  );
  if (sources.length === 0)
    problems.push({ source: directory, reason: "there are no sources to refresh from" });
  return problems.length > 0 ? { outcome: "refused", problems } : replaceList(directory, heard, last);
}

const DEFAULT_SOURCES: readonly ListSource[] = [
  "disposable/disposable-email-domains/master/domains.txt",
  "disposable-email-domains/disposable-email-domains/main/disposable_email_blocklist.conf",
  "7c/fakefilter/main/txt/data.txt",
].map((path) => ({ url: `https://raw.githubusercontent.com/${path}` }));

const PATIENCE_MS = 30_000;

type Heard = { from: string; names: Set<string> };

async function replaceList(
  directory: string,
  heard: readonly Heard[],
  last: ListManifest | undefined,
): Promise<RefreshResult> {
  const before = listInUse(directory).names.names();
  await nextTurn();
  const { merged, withheld } = await merge(heard);
  const bytes = nameListBytes(merged);
  await nextTurn();
  const manifest: ListManifest = {
    madeAt: new Date().toISOString(),
    ...describeList(bytes),
    names: merged.size,
    sources: heard.map(({ from, names }) => ({ from, names: names.size })),
  };
  try {
    await putInForce(directory, bytes, manifest, last);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: "refused", problems: [{ source: directory, reason }] };
  }
  const kept = before.filter((name) => merged.has(name)).length;
  return {
    outcome: "refreshed",
    manifest,
    added: merged.size - kept,
    removed: before.length - kept,
    withheld,
  };
}

const NAMES_PER_TURN = 2_000;

/** In turns with whatever else the process does: a service refreshes while it answers. */
async function merge(heard: readonly Heard[]): Promise<{ merged: Set<string>; withheld: string[] }> {
  let looked = 0;
  const merged = new Set(packagedDomains().names());
  const withheld = new Set<string>();
  for (const { names } of heard) {
    for (const name of names) {
      if (merged.has(name)) continue;
      if (++looked % NAMES_PER_TURN === 0) await nextTurn();
      if (isProtectedDomain(name) || isPublicSuffix(name)) withheld.add(name);
      else merged.add(name);
    }
  }
  return { merged, withheld: [...withheld].sort() };
}

function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name, { allowPrivateDomains: true }) === name;
}

/** The list first, under a name of its own; then the manifest, in one move; then the list it replaced goes. */
async function putInForce(
  directory: string,
  bytes: Buffer,
  manifest: ListManifest,
  last: ListManifest | undefined,
): Promise<void> {
  const base = directoryUrl(directory);
  await mkdir(base, { recursive: true });
  await writeInOneMove(new URL(manifest.file, base), bytes);
  await writeInOneMove(new URL(MANIFEST_FILE, base), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const replaced = last?.file ?? "";
  if (REFRESHED_FILE_NAME.test(replaced) && replaced !== manifest.file)
    await rm(new URL(replaced, base), { force: true });
}

async function writeInOneMove(target: URL, content: Buffer | string): Promise<void> {
  const draft = new URL(`${target.href}.${randomUUID()}.tmp`);
  try {
    await writeFile(draft, content, { flush: true });
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}
