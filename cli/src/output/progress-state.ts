/**
 * How far long work has come, on standard error: a bar with rate and time left on a terminal, a line now and then
 * where the output is kept. For work whose results go to a file; progress.ts is for results that are printed.
 */
import cliProgress from "cli-progress";
import { sayDuration } from "./duration.ts";

export type Standing = {
  done: number;
  total: number;
  ratePerSecond: number;
  /** Undefined while nobody can know. */
  secondsLeft: number | undefined;
  /** What else there is to say. */
  note?: string;
};

export type Meter = Disposable & { show(standing: Standing): void };

export type MeterStream = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean };

const LINE_EVERY_MS = 10_000;

export function meterOn(stream: MeterStream, lineEveryMs = LINE_EVERY_MS): Meter {
  return stream.isTTY ? barOn(stream as NodeJS.WriteStream) : linesOn(stream, lineEveryMs);
}

function barOn(stream: NodeJS.WriteStream): Meter {
  const format = "{bar} {percentage} %  {words}";
  const bar = new cliProgress.SingleBar({
    format,
    stream,
    hideCursor: true,
    clearOnComplete: true,
    autopadding: true,
  });
  let isShown = false;
  return {
    show(standing) {
      const { done, total } = standing;
      const words = { words: wordsOf(standing) };
      if (!isShown) bar.start(Math.max(total, 1), done, words);
      isShown = true;
      bar.setTotal(Math.max(total, 1));
      bar.update(done, words);
    },
    [Symbol.dispose]() {
      if (isShown) bar.stop();
      isShown = false;
    },
  };
}

/** Short work is over before its first line. */
function linesOn(stream: MeterStream, everyMs: number): Meter {
  let saidAtMs = performance.now();
  let last = "";
  return {
    show(standing) {
      const nowMs = performance.now();
      const line = wordsOf(standing);
      if (nowMs - saidAtMs < everyMs || line === last) return;
      saidAtMs = nowMs;
      last = line;
      stream.write(`${line}\n`);
    },
    [Symbol.dispose]() {},
  };
}

function wordsOf({ done, total, ratePerSecond, secondsLeft, note }: Standing): string {
  const parts = [`${done.toLocaleString("en")} of ${total.toLocaleString("en")}`];
  if (ratePerSecond > 0) parts.push(`${sayRate(ratePerSecond)}/s`);
  if (secondsLeft !== undefined && done < total) parts.push(`${sayDuration(secondsLeft)} left`);
  if (note) parts.push(note);
  return parts.join("  ");
}

function sayRate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString("en");
}

/** The rate of the last while, of work that only knows how much of it is done. */
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
