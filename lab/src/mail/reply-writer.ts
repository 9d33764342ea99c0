/**
 * Performs an action on the socket: waits, writes at the configured pace, closes.
 *
 * Only timers and back-pressure; the content was decided before.
 */
import type { Socket } from "node:net";
import type { Action, WritePace } from "./temperament.ts";

export type ReplyWriter = {
  /** Calls `done` when the action is complete (synchronously if it needs no time), with whether it closed the connection. */
  perform(action: Action, done: Done): void;
  /** Cancels all timers. */
  stop(): void;
};

type Done = (isClosed: boolean) => void;

export type Wire = {
  /** The socket to write to; STARTTLS replaces it. */
  socket(): Socket;
  /** The TCP socket underneath. */
  readonly tcp: Socket;
  readonly pace: WritePace | undefined;
};

const ENDLESS_BYTES = 256 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 60_000;

export function createReplyWriter(wire: Wire): ReplyWriter {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  return {
    perform,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };

  function perform(action: Action, done: Done): void {
    if (action.until) {
      const { until, ...rest } = action;
      void until.then(() => !stopped && perform(rest, done));
      return;
    }
    after(action.delayMs ?? 0, () =>
      writeAction(action, () => {
        if (action.next) {
          perform(action.next, done);
          return;
        }
        if (action.close) close(action.close);
        done(action.close !== undefined);
      }),
    );
  }

  function after(delayMs: number, next: () => void): void {
    if (delayMs <= 0) next();
    else timer = setTimeout(() => !stopped && next(), delayMs);
  }

  function writeAction(action: Action, done: () => void): void {
    const bytes = action.raw ?? wireFormat(action.reply);
    if (action.endless) repeat(action.endless, ENDLESS_BYTES);
    else if (wire.pace) writeInChunks(bytes, wire.pace, done);
    else {
      if (bytes.length > 0) write(bytes);
      done();
    }
  }

  function write(bytes: Uint8Array | string): boolean {
    return wire.socket().writable && wire.socket().write(bytes);
  }

  function writeInChunks(bytes: Uint8Array | string, pace: WritePace, done: () => void): void {
    const whole = Buffer.from(bytes);
    const step = (from: number): void => {
      if (stopped) return;
      if (from >= whole.length) {
        done();
        return;
      }
      write(whole.subarray(from, from + pace.chunkBytes));
      const next = () => step(from + pace.chunkBytes);
      // Without a gap, each chunk still gets its own event-loop turn, or chunks would share a packet.
      if (pace.gapMs > 0) timer = setTimeout(next, pace.gapMs);
      else setImmediate(next);
    };
    step(0);
  }

  function repeat(bytes: Uint8Array, leftBytes: number): void {
    if (stopped) return;
    if (leftBytes <= 0) close("politely");
    else if (write(bytes)) setImmediate(() => repeat(bytes, leftBytes - bytes.length));
    else wire.socket().once("drain", () => repeat(bytes, leftBytes - bytes.length));
  }

  function close(mode: "politely" | "abruptly"): void {
    stopped = true;
    clearTimeout(timer);
    if (mode === "abruptly") {
      wire.tcp.resetAndDestroy();
      return;
    }
    // Closing with unread input would send RST, which could discard the last reply. So only the sending side is
    // closed, and the client gets some time to close first.
    wire.socket().end();
    timer = setTimeout(() => wire.tcp.destroy(), CLOSE_TIMEOUT_MS);
  }
}

function wireFormat(reply: string | undefined): string {
  return reply === undefined ? "" : `${reply.replaceAll("\n", "\r\n")}\r\n`;
}
