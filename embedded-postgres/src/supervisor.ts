/**
 * Restarts a server that exits by itself, for example when its disk was full, with exponential back-off. The socket stays
 * the same, so connection pools reconnect.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { OnEvent } from "./events.ts";
import type { Server } from "./server.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** After running this long, the back-off starts over. */
const STEADY_MS = 60_000;

export function supervise(
  first: Server,
  open: (interrupted: AbortSignal) => Promise<Server>,
  onEvent: OnEvent,
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
      onEvent({ event: "server_exited", restartInMs: pauseMs });
      try {
        await sleep(pauseMs, undefined, { signal: stopping.signal });
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        startedAt = performance.now();
        server = await open(stopping.signal);
        onEvent({ event: "server_restarted" });
      } catch (error) {
        if (!stopping.signal.aborted) onEvent({ event: "server_restart_failed", error });
      }
    }
    await server.stop(); // started while `stop` was called
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
