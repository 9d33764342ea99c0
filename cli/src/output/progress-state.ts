/**
 * Progress of long work on standard error: a bar with rate and time left on a terminal, a line every ten seconds
 * elsewhere. For work whose results go to a file; progress-bar.ts is for results that are printed.
 */
import cliProgress from "cli-progress";
import { formatDuration } from "./duration.ts";

export type ProgressState = {
  done: number;
  total: number;
  ratePerSecond: number;
  /** Undefined until it can be estimated. */
  secondsLeft: number | undefined;
  /** Shown after the figures. */
  note?: string;
};

export type ProgressDisplay = Disposable & { show(state: ProgressState): void };

export type ProgressStream = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean };

const LINE_EVERY_MS = 10_000;

export function progressDisplayOn(stream: ProgressStream, lineEveryMs = LINE_EVERY_MS): ProgressDisplay {
  return stream.isTTY ? barOn(stream as NodeJS.WriteStream) : linesOn(stream, lineEveryMs);
}

function barOn(stream: NodeJS.WriteStream): ProgressDisplay {
  const format = "{bar} {percentage} %  {text}";
  const bar = new cliProgress.SingleBar({
    format,
    stream,
    hideCursor: true,
    clearOnComplete: true,
    autopadding: true,
  });
  let isShown = false;
  return {
    show(state) {
      const { done, total } = state;
      const text = { text: textOf(state) };
      if (!isShown) bar.start(Math.max(total, 1), done, text);
      isShown = true;
      bar.setTotal(Math.max(total, 1));
      bar.update(done, text);
    },
    [Symbol.dispose]() {
      if (isShown) bar.stop();
      isShown = false;
    },
  };
}

function linesOn(stream: ProgressStream, everyMs: number): ProgressDisplay {
  let writtenAtMs = performance.now();
  let last = "";
  return {
    show(state) {
      const nowMs = performance.now();
      const line = textOf(state);
      if (nowMs - writtenAtMs < everyMs || line === last) return;
      writtenAtMs = nowMs;
      last = line;
      stream.write(`${line}\n`);
    },
    [Symbol.dispose]() {},
  };
}

function textOf({ done, total, ratePerSecond, secondsLeft, note }: ProgressState): string {
  const parts = [`${done.toLocaleString("en")} of ${total.toLocaleString("en")}`];
  if (ratePerSecond > 0) parts.push(`${formatRate(ratePerSecond)}/s`);
  if (secondsLeft !== undefined && done < total) parts.push(`${formatDuration(secondsLeft)} left`);
  if (note) parts.push(note);
  return parts.join("  ");
}

function formatRate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString("en");
}

/** Rate over a sliding window, from a running total. */
export function createRate(windowMs = 15_000): { of(done: number): number } {
  const samples: { atMs: number; done: number }[] = [{ atMs: performance.now(), done: 0 }];
  return {
    of(done) {
      const atMs = performance.now();
      const newest = samples.at(-1)!;
      if (atMs - newest.atMs >= windowMs / 30) samples.push({ atMs, done });
      while (samples.length > 2 && atMs - samples[1]!.atMs > windowMs) samples.shift();
      const oldest = samples[0]!;
      return atMs > oldest.atMs ? (Math.max(0, done - oldest.done) * 1000) / (atMs - oldest.atMs) : 0;
    },
  };
}
