/**
 * A host that never answers a connection attempt, as behind a firewall that drops packets.
 *
 * It listens with a backlog of one and never accepts: its thread sleeps. Once the backlog is full, the kernel drops every
 * further SYN.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextIteration } from "node:timers/promises";
import { Worker } from "node:worker_threads";

export type SilentHost = AsyncDisposable & { readonly port: number };

const SLEEPER = `
const { parentPort, workerData } = require("node:worker_threads");
const listener = require("node:net").createServer().listen({ host: workerData, port: 0, backlog: 1 }, () => {
  parentPort.postMessage(listener.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

const MAX_ATTEMPTS = 16;
/** On loopback the kernel completes a handshake in microseconds, or drops the SYN. */
const UNANSWERED_MS = 200;

export async function openSilentHost(address: string): Promise<SilentHost> {
  const worker = new Worker(SLEEPER, { eval: true, workerData: address });
  const [port] = (await once(worker, "message")) as [number];
  const attempts: Socket[] = [];
  let isAnswered = true;
  while (isAnswered) {
    if (attempts.length === MAX_ATTEMPTS)
      throw new Error("this kernel does not drop connections to a full backlog");
    const attempt = connect({ host: address, port });
    attempt.on("error", () => {});
    attempts.push(attempt);
    await Promise.race([once(attempt, "connect"), delay(UNANSWERED_MS)]);
    await nextIteration(); // on a busy machine the event is delivered only now
    isAnswered = !attempt.connecting;
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const attempt of attempts) attempt.destroy();
      await worker.terminate();
    },
  };
}
