/**
 * Carries out an action on the wire: waits, writes at the server's pace, leaves.
 *
 * Everything here is timers and back-pressure; what to say was decided before.
 */
import type { Socket } from "node:net";
import type { Action, Pace } from "./temperament.ts";

export type Speaker = {
  /** Calls `done` when the action is over, at once when it needs no time, saying whether we hung up. */
  perform(action: Action, done: Done): void;
  /** Stops all waiting. */
  stop(): void;
};

type Done = (hungUp: boolean) => void;

export type Wire = {
  /** The socket to write to, which STARTTLS replaces. */
  socket(): Socket;
  /** The TCP socket underneath. */
  readonly tcp: Socket;
  readonly pace: Pace | undefined;
};

const ENDLESS_BYTES = 256 * 1024 * 1024;
const FAREWELL_MS = 2_000;

export function createSpeaker(wire: Wire): Speaker {
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
    after(action.delayMs ?? 0, () =>
      speak(action, () => {
        if (action.next) {
          perform(action.next, done);
          return;
        }
        if (action.close) hangUp(action.close);
        done(action.close !== undefined);
      }),
    );
  }

  function after(delayMs: number, next: () => void): void {
    if (delayMs <= 0) next();
    else timer = setTimeout(() => !stopped && next(), delayMs);
  }

  function speak(action: Action, done: () => void): void {
    const bytes = action.raw ?? onTheWire(action.reply);
    if (action.endless) repeat(action.endless, ENDLESS_BYTES);
    else if (wire.pace) writeInPieces(bytes, wire.pace, done);
    else {
      if (bytes.length > 0) write(bytes);
      done();
    }
  }

  function write(bytes: Uint8Array | string): boolean {
    return wire.socket().writable && wire.socket().write(bytes);
  }

  function writeInPieces(bytes: Uint8Array | string, pace: Pace, done: () => void): void {
    const whole = Buffer.from(bytes);
    const step = (from: number): void => {
      if (stopped) return;
      if (from >= whole.length) {
        done();
        return;
      }
      write(whole.subarray(from, from + pace.pieceBytes));
      const next = () => step(from + pace.pieceBytes);
      // Without a gap the pieces still leave in turns of their own, or they would share a packet.
      if (pace.gapMs > 0) timer = setTimeout(next, pace.gapMs);
      else setImmediate(next);
    };
    step(0);
  }

  function repeat(bytes: Uint8Array, leftBytes: number): void {
    if (stopped) return;
    if (leftBytes <= 0) hangUp("politely");
    else if (write(bytes)) setImmediate(() => repeat(bytes, leftBytes - bytes.length));
    else wire.socket().once("drain", () => repeat(bytes, leftBytes - bytes.length));
  }

  function hangUp(manner: "politely" | "abruptly"): void {
    stopped = true;
    clearTimeout(timer);
    if (manner === "abruptly") {
      wire.tcp.resetAndDestroy();
      return;
    }
    // Closing over unread input would reset the connection and could take our last words with it, so we
    // say that we are done and let the client go first, for a while.
    wire.socket().end();
    timer = setTimeout(() => wire.tcp.destroy(), FAREWELL_MS);
  }
}

function onTheWire(reply: string | undefined): string {
  return reply === undefined ? "" : `${reply.replaceAll("\n", "\r\n")}\r\n`;
}
