/**
 * Every result of a job in memory, to search in: the service can filter by verdict, not by text. They come as one
 * stream, are read in small turns so that the page stays quick, and can be searched while more arrive.
 */
import type { JobResult } from "@mailvet/contract";
import { useEffect, useState } from "react";
import { queries, service } from "../../queries.ts";
import type { ShownResult } from "./use-result-pages.ts";

/** `text` is the address as it is searched. */
export type ScannedResult = ShownResult & { text: string };

export type ResultScan = {
  results: readonly ScannedResult[];
  /** Rows of the file, with a verdict or without. */
  rowsRead: number;
  isDone: boolean;
  error: unknown;
};

/** Longer lists are searched up to here. */
export const MAX_SCANNED_ROWS = 100_000;
/** Of parsing, before the page gets a turn. */
const TURN_MS = 8;
/** Between two looks at what has arrived. */
const SHOW_MS = 400;
const NEWLINE = "\n";

const NOTHING: ResultScan = { results: [], rowsRead: 0, isDone: false, error: undefined };

export function useResultScan(jobId: string): ResultScan {
  const key = ["job-scan", jobId];
  const [scan, setScan] = useState<ResultScan>(() => queries.getQueryData<ResultScan>(key) ?? NOTHING);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each job
  useEffect(() => {
    if (scan.isDone) return;
    const leaving = new AbortController();
    readAll(jobId, leaving.signal, setScan)
      .then((whole) => queries.setQueryData(key, whole))
      .catch((error: unknown) => {
        if (!leaving.signal.aborted) setScan((now) => ({ ...now, error }));
      });
    return () => leaving.abort();
  }, [jobId]);
  return scan;
}

async function readAll(
  jobId: string,
  signal: AbortSignal,
  show: (scan: ResultScan) => void,
): Promise<ResultScan> {
  const { body } = await service.jobs.download(jobId, { format: "ndjson" }, { signal });
  const results: ScannedResult[] = [];
  let rowsRead = 0;
  let shownAtMs = performance.now();
  for await (const line of linesIn(body!, signal)) {
    const result = resultIn(line);
    rowsRead++;
    if (result) results.push(result);
    if (rowsRead >= MAX_SCANNED_ROWS) break;
    if (performance.now() - shownAtMs < SHOW_MS) continue;
    shownAtMs = performance.now();
    show({ results, rowsRead, isDone: false, error: undefined });
  }
  const whole = { results, rowsRead, isDone: true, error: undefined };
  show(whole);
  return whole;
}

/** Rows without a verdict have no status. */
function resultIn(line: string): ScannedResult | undefined {
  const { row, email, status, sub_status, score, suggestion, is_duplicate } = JSON.parse(line) as JobResult;
  if (status === null) return undefined;
  return { row, email, status, sub_status, score, suggestion, is_duplicate, text: email.toLowerCase() };
}

async function* linesIn(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let turnEndsMs = performance.now() + TURN_MS;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split(NEWLINE);
      rest = done ? "" : lines.pop()!;
      for (const line of lines) {
        if (performance.now() > turnEndsMs) {
          await new Promise((resolve) => setTimeout(resolve));
          signal.throwIfAborted();
          turnEndsMs = performance.now() + TURN_MS;
        }
        if (line !== "") yield line;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
