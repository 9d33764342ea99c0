/**
 * Writes log lines to a file descriptor without ever blocking or failing: lines that cannot be written are dropped and
 * counted.
 *
 * Not sonic-boom, pino's own: on a full disk it raises an unhandled error, keeps what it could not
 * write, and its flush at exit tries again forever.
 */
import { write, writeSync } from "node:fs";

export type LogSink = {
  write(line: string): void;
  /** Writes buffered lines as far as possible without waiting. */
  flush(): void;
  readonly droppedLines: number;
  /** Whether the last write failed. */
  readonly isDropping: boolean;
};

/** Buffer size and delay: one write per line costs more than the line. */
const HELD_BACK_CHARACTERS = 4096;
const HELD_BACK_MS = 250;
/** Lines are dropped when the reader is this far behind. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024;
/** How long the final flush waits for a slow reader. */
const LAST_TRIES = 10;
const TRY_PAUSE_MS = 20;

export function openLogSink(descriptor: number): LogSink {
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  let droppedLines = 0;
  let isDropping = false;

  const drop = (lines: number) => {
    droppedLines += lines;
    isDropping = true;
  };

  function take(): Buffer {
    const chunk = Buffer.from(waiting.join(""));
    waiting = [];
    waitingCharacters = 0;
    return chunk;
  }

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || waiting.length === 0) return;
    isWriting = true;
    put(take(), 0);
  }

  function put(chunk: Buffer, from: number): void {
    write(descriptor, chunk, from, chunk.length - from, null, (error, written) => {
      if (error?.code === "EAGAIN") {
        setTimeout(put, HELD_BACK_MS, chunk, from).unref();
        return;
      }
      if (!error && from + written < chunk.length) return put(chunk, from + written);
      isWriting = false;
      if (error) {
        drop(linesIn(chunk, from));
        // The next line must not be appended to half a line.
        if (from > 0 && chunk[from - 1] !== NEWLINE) waiting.unshift("\n");
      } else isDropping = false;
      if (waitingCharacters >= HELD_BACK_CHARACTERS) begin();
      else hold();
    });
  }

  function hold(): void {
    if (waiting.length > 0) timer ??= setTimeout(begin, HELD_BACK_MS).unref();
  }

  return {
    write(line) {
      if (waitingCharacters + line.length > MAX_WAITING_CHARACTERS) return drop(1);
      waiting.push(line);
      waitingCharacters += line.length;
      if (waitingCharacters >= HELD_BACK_CHARACTERS) begin();
      else hold();
    },
    flush() {
      const chunk = take();
      let from = 0;
      for (let tries = 0; from < chunk.length && tries < LAST_TRIES; tries++) {
        try {
          from += writeSync(descriptor, chunk, from);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EAGAIN") break;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_PAUSE_MS);
        }
      }
      if (from < chunk.length) drop(linesIn(chunk, from));
    },
    get droppedLines() {
      return droppedLines;
    },
    get isDropping() {
      return isDropping;
    },
  };
}

const NEWLINE = 10;

function linesIn(chunk: Buffer, from: number): number {
  let lines = 0;
  for (let at = from; at < chunk.length; at++) if (chunk[at] === NEWLINE) lines++;
  return lines;
}
