/**
 * A host that does not respond at all, as behind a firewall that drops packets.
 *
 * It listens with the shortest backlog and never accepts: its thread sleeps. Once the backlog is full, the kernel
 * drops every further SYN.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";

export type SilentHost = AsyncDisposable & { readonly port: number };

const SLEEPER = `
const { parentPort, workerData } = require("node:worker_threads");
const listener = require("node:net").createServer().listen({ host: workerData, port: 0, backlog: 1 }, () => {
  parentPort.postMessage(listener.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

const MOST_CALLS = 16;
/** On loopback the kernel accepts a connection within microseconds, or drops it silently. */
const UNHEARD_MS = 200;

export async function openSilentHost(address: string): Promise<SilentHost> {
  const worker = new Worker(SLEEPER, { eval: true, workerData: address });
  const [port] = (await once(worker, "message")) as [number];
  const callers: Socket[] = [];
  let isHeard = true;
  while (isHeard) {
    if (callers.length === MOST_CALLS) throw new Error("this kernel does not drop calls to a full queue");
    const caller = connect({ host: address, port });
    caller.on("error", () => {});
    callers.push(caller);
    await Promise.race([once(caller, "connect"), delay(UNHEARD_MS)]);
    await nextTurn(); // a process that was delayed itself learns of the connection only now
    isHeard = !caller.connecting;
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const caller of callers) caller.destroy();
      await worker.terminate();
    },
  };
}
