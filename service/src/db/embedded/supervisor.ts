/**
 * Keeps a server running: one that ends by itself, as after a full disk under its WAL, is started again with growing
 * pauses. Its socket stays the same, so connection pools reconnect without being told.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "./server.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A server that ran for this long had started well: the next pause is the first again. */
const STEADY_MS = 60_000;

export function supervise(
  first: Server,
  open: (interrupted: AbortSignal) => Promise<Server>,
  say: (text: string) => void,
): Pick<Server, "exited" | "stop"> {
  const stopping = new AbortController();
  let server = first;
  const exited = keepRunning();

  async function keepRunning(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    let startedAt = performance.now();
    while (!stopping.signal.aborted) {
      await server.exited;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      say(`the database server is not running; starting it in ${pauseMs / 1000} s`);
      try {
        await sleep(pauseMs, undefined, { signal: stopping.signal });
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        startedAt = performance.now();
        server = await open(stopping.signal);
        say("the database server runs again");
      } catch (error) {
        if (!stopping.signal.aborted) say(`starting the database server failed: ${reasonOf(error)}`);
      }
    }
    await server.stop(); // it came up while it was no longer wanted
  }

  return {
    exited,
    async stop() {
      stopping.abort();
      await server.stop();
      await exited;
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
