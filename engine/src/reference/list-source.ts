/**
 * One public list of disposable domains: downloaded within limits, parsed in several formats, and checked before use:
 * long enough, made of domain names, not suddenly shorter, no large provider among them.
 */

import { isListableName } from "./domain-list.ts";
import { LARGE_PROVIDERS } from "./free-providers.ts";

export type ListSource = {
  /** Returns one name per line, a JSON array of names, or a JSON object with such `domains`. */
  readonly url: string;
  /** Fewer names than this count as an error page or a truncated file. */
  readonly minNames?: number;
};

export type ListSourceOptions = {
  fetch: typeof globalThis.fetch;
  timeoutMs: number;
  /** Number of names at the last refresh. */
  namesBefore: number | undefined;
  /** Accept a short list. */
  force: boolean;
};

/** The listed names, or why the source is rejected. */
export async function readListSource(
  source: ListSource,
  options: ListSourceOptions,
): Promise<{ names: Set<string> } | { reason: string }> {
  try {
    const names = namesIn(await download(source.url, options));
    const problem =
      contentProblem(names) ?? (options.force ? undefined : sizeProblem(names, source, options));
    return problem === undefined ? { names } : { reason: problem };
  } catch (error) {
    return { reason: describeFailure(error, options.timeoutMs) };
  }
}

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 1_000_000;
const MIN_NAMES = 1000;
const MIN_SHARE_OF_NAMES = 0.9;
const MIN_SHARE_OF_LAST_REFRESH = 0.7;
// A list that contains one of these is not a list of disposable domains.
const LARGEST_PROVIDERS = [...LARGE_PROVIDERS].filter(([, weight]) => weight >= 40).map(([name]) => name);

async function download(url: string, { fetch, timeoutMs }: ListSourceOptions): Promise<string> {
  // Not AbortSignal.timeout: where a caller combines it with another signal, it may be collected as garbage before it fires.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("late", "TimeoutError")), timeoutMs);
  try {
    const response = await fetch(url, { signal: late.signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`answered ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of response.body ?? []) {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`); // leaving the loop closes the connection
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    clearTimeout(timer);
  }
}

function namesIn(body: string): Set<string> {
  const entries = entriesIn(body.replace(/^\uFEFF/, "").trim());
  if (entries.length > MAX_ENTRIES) throw new Error(`lists more than ${MAX_ENTRIES} entries`);
  const names = entries.map(bareName).filter(isListableName);
  if (names.length < entries.length * MIN_SHARE_OF_NAMES) {
    throw new Error(
      `is not a list of domain names: only ${names.length} of ${entries.length} entries are valid`,
    );
  }
  return new Set(names);
}

function entriesIn(body: string): string[] {
  if (!/^[[{]/.test(body)) return body.split("\n").filter((line) => !/^\s*(?:$|#|;|\/\/)/.test(line));
  const parsed = JSON.parse(body);
  const listed = Array.isArray(parsed) ? parsed : parsed.domains;
  if (Array.isArray(listed)) return listed.map(String);
  if (typeof listed === "object" && listed !== null) return Object.keys(listed);
  throw new Error("is JSON, but not a list of names");
}

function bareName(entry: string): string {
  return entry
    .trim()
    .toLowerCase()
    .replace(/^(?:\*\.|@|\.)/, "");
}

function contentProblem(names: Set<string>): string | undefined {
  if (names.size === 0) return "is empty";
  const largeProvider = LARGEST_PROVIDERS.find((name) => names.has(name));
  return largeProvider === undefined
    ? undefined
    : `contains ${largeProvider}, so it is not a list of disposable domains`;
}

function sizeProblem(
  { size }: Set<string>,
  { minNames = MIN_NAMES }: ListSource,
  { namesBefore = 0 }: ListSourceOptions,
): string | undefined {
  if (size < minNames) return `lists only ${size} names, fewer than ${minNames}`;
  if (size >= namesBefore * MIN_SHARE_OF_LAST_REFRESH) return undefined;
  return `lists ${size} names where it listed ${namesBefore} last time`;
}

function describeFailure(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `did not respond completely within ${timeoutMs} ms`;
  if (error instanceof SyntaxError) return "returned invalid JSON";
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
