/**
 * One public list of throw-away domains: fetched within bounds, read in whatever form it comes, and judged
 * before it is believed: long enough, made of names, not suddenly shorter, no giant among them.
 */

import { isListableName } from "./domain-list.ts";
import { LARGE_PROVIDERS } from "./free-providers.ts";

export type ListSource = {
  /** Answers with one name a line, a JSON array of names, or a JSON object with such `domains`. */
  readonly url: string;
  /** Fewer names than this are taken for an error page or a cut-off file. */
  readonly minNames?: number;
};

export type ListSourceResult = {
  fetch: typeof globalThis.fetch;
  timeoutMs: number;
  /** How many names the source had last time. */
  namesBefore: number | undefined;
  /** Do not hold against a source that it is short. */
  force: boolean;
};

/** What the source lists, or why it is not to be believed. */
export async function readListSource(
  source: ListSource,
  reading: ListSourceResult,
): Promise<{ names: Set<string> } | { reason: string }> {
  try {
    const names = namesIn(await download(source.url, reading));
    const complaint =
      complaintAbout(names) ?? (reading.force ? undefined : shortness(names, source, reading));
    return complaint === undefined ? { names } : { reason: complaint };
  } catch (error) {
    return { reason: describeFailure(error, reading.timeoutMs) };
  }
}

const MOST_BYTES = 32 * 1024 * 1024;
const MOST_ENTRIES = 1_000_000;
const FEWEST_NAMES = 1000;
const LEAST_SHARE_OF_NAMES = 0.9;
const LEAST_SHARE_OF_LAST_TIME = 0.7;
// A list with one of these in it is a list of something else.
const GIANTS = [...LARGE_PROVIDERS].filter(([, weight]) => weight >= 40).map(([name]) => name);

async function download(url: string, { fetch, timeoutMs }: ListSourceResult): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > MOST_BYTES) throw new Error(`is larger than ${MOST_BYTES} bytes`); // leaving the loop hangs up
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function namesIn(body: string): Set<string> {
  const entries = entriesIn(body.replace(/^\uFEFF/, "").trim());
  if (entries.length > MOST_ENTRIES) throw new Error(`lists more than ${MOST_ENTRIES} entries`);
  const names = entries.map(bareName).filter(isListableName);
  if (names.length < entries.length * LEAST_SHARE_OF_NAMES) {
    throw new Error(`is no list of domain names: only ${names.length} of ${entries.length} entries are`);
  }
  return new Set(names);
}

function entriesIn(body: string): string[] {
  if (!/^[[{]/.test(body)) return body.split("\n").filter((line) => !/^\s*(?:$|#|;|\/\/)/.test(line));
  const parsed = JSON.parse(body);
  const listed = Array.isArray(parsed) ? parsed : parsed.domains;
  if (Array.isArray(listed)) return listed.map(String);
  if (typeof listed === "object" && listed !== null) return Object.keys(listed);
  throw new Error("is JSON, but no list of names");
}

function bareName(entry: string): string {
  return entry
    .trim()
    .toLowerCase()
    .replace(/^(?:\*\.|@|\.)/, "");
}

function complaintAbout(names: Set<string>): string | undefined {
  if (names.size === 0) return "lists nothing";
  const giant = GIANTS.find((name) => names.has(name));
  return giant === undefined ? undefined : `lists ${giant}, which no list of throw-away domains does`;
}

function shortness(
  { size }: Set<string>,
  { minNames = FEWEST_NAMES }: ListSource,
  { namesBefore = 0 }: ListSourceResult,
): string | undefined {
  if (size < minNames) return `lists only ${size} names, fewer than ${minNames}`;
  if (size >= namesBefore * LEAST_SHARE_OF_LAST_TIME) return undefined;
  return `lists ${size} names where it listed ${namesBefore} last time`;
}

function describeFailure(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `gave no whole answer within ${timeoutMs} ms`;
  if (error instanceof SyntaxError) return "sends broken JSON";
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
