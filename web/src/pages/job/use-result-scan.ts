/**
 * Loads all results of a job into memory for text search, because the API filters by verdict only.
 *
 * The NDJSON stream is parsed in short time slices that keep the page responsive, and can be searched while it loads.
 */
import type { JobResult } from "@mailvet/contract";
import { useEffect, useState } from "react";
import { queries, service } from "../../queries.ts";
import type { ShownResult } from "./use-result-pages.ts";

/** `text` is the address in lower case. */
export type ScannedResult = ShownResult & { text: string };

export type ResultScan = {
  results: readonly ScannedResult[];
  /** Including rows without a verdict. */
  rowsRead: number;
  isDone: boolean;
  error: unknown;
};

/** Limit of memory use; longer lists are searched up to this row. */
export const MAX_SCANNED_ROWS = 100_000;
/** Parsing time before the event loop gets control. */
const SLICE_MS = 8;
/** Interval between state updates while loading. */
const UPDATE_MS = 400;
const NEWLINE = "\n";

const EMPTY: ResultScan = { results: [], rowsRead: 0, isDone: false, error: undefined };

export function useResultScan(jobId: string): ResultScan {
  const key = ["job-scan", jobId];
  const [scan, setScan] = useState<ResultScan>(() => queries.getQueryData<ResultScan>(key) ?? EMPTY);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once per job
  useEffect(() => {
    if (scan.isDone) return;
    const controller = new AbortController();
    readAll(jobId, controller.signal, setScan)
      .then((whole) => queries.setQueryData(key, whole))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setScan((now) => ({ ...now, error }));
      });
    return () => controller.abort();
  }, [jobId]);
  return scan;
}

async function readAll(
  jobId: string,
  signal: AbortSignal,
  update: (scan: ResultScan) => void,
): Promise<ResultScan> {
  const { body } = await service.jobs.download(jobId, { format: "ndjson" }, { signal });
  const results: ScannedResult[] = [];
  let rowsRead = 0;
  let updatedAtMs = performance.now();
  for await (const line of linesIn(body!, signal)) {
    const result = resultIn(line);
    rowsRead++;
    if (result) results.push(result);
    if (rowsRead >= MAX_SCANNED_ROWS) break;
    if (performance.now() - updatedAtMs < UPDATE_MS) continue;
    updatedAtMs = performance.now();
    update({ results, rowsRead, isDone: false, error: undefined });
  }
  const whole = { results, rowsRead, isDone: true, error: undefined };
  update(whole);
  return whole;
}

/** Rows without a verdict have no status. */
function resultIn(line: string): ScannedResult | undefined {
  const { row, email, status, sub_status, score, suggestion, is_duplicate, previous_status } = JSON.parse(
    line,
  ) as JobResult;
  if (status === null) return undefined;
  return {
    row,
    email,
    status,
    sub_status,
    score,
    suggestion,
    is_duplicate,
    previous_status,
    text: email.toLowerCase(),
  };
}

async function* linesIn(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let sliceEndsMs = performance.now() + SLICE_MS;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split(NEWLINE);
      rest = done ? "" : lines.pop()!;
      for (const line of lines) {
        if (performance.now() > sliceEndsMs) {
          await new Promise((resolve) => setTimeout(resolve));
          signal.throwIfAborted();
          sliceEndsMs = performance.now() + SLICE_MS;
        }
        if (line !== "") yield line;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
