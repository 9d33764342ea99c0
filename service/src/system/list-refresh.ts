/**
 * Refreshes the list of disposable domains while the service runs, in each process.
 *
 * Every hour, a list that another process or `mailvet lists refresh` has written to the directory is loaded. With
 * LISTS_REFRESH=daily, a list that is a day old, or the packaged one, is downloaded again; after a failure the current list
 * stays in use, and the next hour tries again.
 */
import type { SystemLists } from "@mailvet/contract";
import { type RefreshResult, refreshLists, type Verifier } from "@mailvet/engine";
import type { Log } from "../log.ts";

export type ListRefreshSettings = {
  refresh: SystemLists["refresh"];
  /** Where refreshed lists are stored; undefined only with "off". */
  directory: string | undefined;
  /** Instead of the default sources. */
  sources: readonly string[];
};

export type ListRefresh = {
  report(): SystemLists;
  /** Runs every hour. */
  run(): Promise<void>;
  /** Aborts a running download. */
  close(): Promise<void>;
};

export type ListRefreshDeps = ListRefreshSettings & {
  lists: Verifier["lists"];
  log: Pick<Log, "event">;
  nowMs?: () => number;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function startListRefresh(deps: ListRefreshDeps): ListRefresh {
  const { refresh, directory, sources, lists, log, nowMs = Date.now } = deps;
  const closing = new AbortController();
  let lastFailure: SystemLists["last_failure"] = null;
  let running: Promise<void> = Promise.resolve();

  const isDue = () => {
    const { list, madeAt } = lists.origin;
    return refresh === "daily" && (list === "packaged" || nowMs() - Date.parse(madeAt) >= DAY_MS);
  };

  const download = async (into: string): Promise<void> => {
    const result = await refreshLists({
      directory: into,
      ...(sources.length > 0 && { sources: sources.map((url) => ({ url })) }),
      fetch: (input, init) =>
        fetch(input, { ...init, signal: AbortSignal.any([closing.signal, init!.signal!]) }),
    });
    if (closing.signal.aborted) return;
    if (result.outcome === "refreshed") {
      lists.reload();
      lastFailure = null;
      const { manifest, added, removed } = result;
      log.event("lists_refreshed", { names: manifest.names, added, removed });
    } else noteFailure(result.problems);
  };

  const noteFailure = (problems: Extract<RefreshResult, { outcome: "refused" }>["problems"]) => {
    const reason = problems.map(({ source, reason }) => `${source}: ${reason}`).join("; ");
    lastFailure = { at: new Date(nowMs()).toISOString(), reason };
    log.event("lists_refresh_failed", { problems });
  };

  const work = async (): Promise<void> => {
    try {
      if (lists.reload()) log.event("lists_reloaded", { ...lists.origin });
      if (directory !== undefined && isDue()) await download(directory);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      noteFailure([{ source: directory ?? "", reason }]);
    }
  };
  const run = () => {
    running = running.then(() => (closing.signal.aborted ? undefined : work()));
    return running;
  };

  void run();
  const timer = setInterval(run, HOUR_MS);
  timer.unref();
  return {
    run,
    report() {
      const { list, madeAt } = lists.origin;
      return {
        source: list,
        made_at: new Date(madeAt).toISOString(),
        age_days: Math.max(0, Math.floor((nowMs() - Date.parse(madeAt)) / DAY_MS)),
        names: lists.size,
        refresh,
        last_failure: lastFailure,
      };
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}
