/**
 * Downloads current lists of disposable domains between releases.
 *
 * The names of the sources are merged with the packaged ones, except for protected domains and public suffixes. All
 * or nothing: when one source fails its checks (list-source.ts), the list in use is kept, and the result says why.
 */

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { getPublicSuffix } from "../address/public-suffix.ts";
import { directoryUrl, listInUse, packagedDomains } from "./disposable.ts";
import { domainListBytes } from "./domain-list.ts";
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
  /** Directory of refreshed lists; created if missing. */
  directory: string;
  sources?: readonly ListSource[];
  /** Accept sources that are short, or have become much shorter since the last refresh. */
  force?: boolean;
  fetch?: typeof globalThis.fetch;
  /** Per source, from the request to the last byte. */
  timeoutMs?: number;
};

export type RefreshResult =
  | {
      readonly outcome: "refreshed";
      readonly manifest: ListManifest;
      /** Compared with the list in use before. */
      readonly added: number;
      readonly removed: number;
      /** Names of the sources that were left out. */
      readonly withheld: readonly string[];
    }
  | { readonly outcome: "refused"; readonly problems: readonly RefreshProblem[] };

export type RefreshProblem = {
  /** Its URL, or the directory that could not be written. */
  readonly source: string;
  readonly reason: string;
};

export async function refreshLists(options: RefreshOptions): Promise<RefreshResult> {
  const { directory, sources = DEFAULT_SOURCES, force = false, fetch = globalThis.fetch } = options;
  const lastManifest = readListManifest(directoryUrl(directory));
  const problems: RefreshProblem[] = [];
  const sourceNames: SourceNames[] = [];
  await Promise.all(
    sources.map(async (source, index) => {
      const namesBefore = lastManifest?.sources.find(({ from }) => from === source.url)?.names;
      const timeoutMs = options.timeoutMs ?? SOURCE_TIMEOUT_MS;
      const result = await readListSource(source, { fetch, timeoutMs, namesBefore, force });
      if ("reason" in result) problems.push({ source: source.url, reason: result.reason });
      else sourceNames[index] = { from: source.url, names: result.names };
    }),
  );
  if (sources.length === 0) problems.push({ source: directory, reason: "no sources configured" });
  return problems.length > 0
    ? { outcome: "refused", problems }
    : replaceList(directory, sourceNames, lastManifest);
}

const DEFAULT_SOURCES: readonly ListSource[] = [
  "disposable/disposable-email-domains/master/domains.txt",
  "disposable-email-domains/disposable-email-domains/main/disposable_email_blocklist.conf",
  "7c/fakefilter/main/txt/data.txt",
].map((path) => ({ url: `https://raw.githubusercontent.com/${path}` }));

const SOURCE_TIMEOUT_MS = 30_000;

type SourceNames = { from: string; names: Set<string> };

async function replaceList(
  directory: string,
  sourceNames: readonly SourceNames[],
  lastManifest: ListManifest | undefined,
): Promise<RefreshResult> {
  const before = listInUse(directory).names.names();
  await yieldToEventLoop();
  const { merged, withheld } = await merge(sourceNames);
  const bytes = domainListBytes(merged);
  await yieldToEventLoop();
  const manifest: ListManifest = {
    madeAt: new Date().toISOString(),
    ...describeList(bytes),
    names: merged.size,
    sources: sourceNames.map(({ from, names }) => ({ from, names: names.size })),
  };
  try {
    await activate(directory, bytes, manifest, lastManifest);
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

/** Yields to the event loop: a service refreshes while it answers. */
async function merge(
  sourceNames: readonly SourceNames[],
): Promise<{ merged: Set<string>; withheld: string[] }> {
  let checked = 0;
  const merged = new Set(packagedDomains().names());
  const withheld = new Set<string>();
  for (const { names } of sourceNames) {
    for (const name of names) {
      if (merged.has(name)) continue;
      if (++checked % NAMES_PER_TURN === 0) await yieldToEventLoop();
      if (isProtectedDomain(name) || isPublicSuffix(name)) withheld.add(name);
      else merged.add(name);
    }
  }
  return { merged, withheld: [...withheld].sort() };
}

function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name, { allowPrivateDomains: true }) === name;
}

/** First the list, under its own name; then the manifest, atomically; then the old list is removed. */
async function activate(
  directory: string,
  bytes: Buffer,
  manifest: ListManifest,
  lastManifest: ListManifest | undefined,
): Promise<void> {
  const base = directoryUrl(directory);
  await mkdir(base, { recursive: true });
  await writeAtomically(new URL(manifest.file, base), bytes);
  await writeAtomically(new URL(MANIFEST_FILE, base), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const replaced = lastManifest?.file ?? "";
  if (REFRESHED_FILE_NAME.test(replaced) && replaced !== manifest.file)
    await rm(new URL(replaced, base), { force: true });
}

async function writeAtomically(target: URL, content: Buffer | string): Promise<void> {
  const draft = new URL(`${target.href}.${randomUUID()}.tmp`);
  try {
    await writeFile(draft, content, { flush: true });
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}
