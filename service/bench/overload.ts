/**
 * Two thousand concurrent clients for a minute, each sending its next request as soon as the last was answered. Checks
 * that every request is answered or refused and none is charged without an answer, and measures the slowest.
 *
 *   npm run bench:overload [clients [seconds]]
 */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { CREDITS, startBenchService } from "./bench-service.ts";
import { KEY } from "./list-run.ts";

const CLIENTS = Number(process.argv[2] ?? 2_000);
const SECONDS = Number(process.argv[3] ?? 60);
const NO_ANSWER_AFTER_MS = 30_000;
const LONGEST_REST_MS = 5_000;

await using service = await startBenchService({ LOG_LEVEL: "error" });
const base = service.url;
await untilReady(base);
const tally = {
  answers: new Map<number, number>(),
  failed: new Map<string, number>(),
  latencies: [] as number[],
};
const count = <Key>(map: Map<Key, number>, key: Key) => map.set(key, (map.get(key) ?? 0) + 1);
const endAt = performance.now() + SECONDS * 1000;
await Promise.all(Array.from({ length: CLIENTS }, () => client(base)));

const { balance, reserved } = await credits(base);
const answered = tally.answers.get(200) ?? 0;
const charged = CREDITS - balance;
const sorted = tally.latencies.sort((a, b) => a - b);
const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
const answers = [...tally.answers].map(([status, times]) => `${times} × ${status}`).join(", ");
const failures = [...tally.failed].map(([why, times]) => `${times} × ${why}`).join(", ") || "none";
console.log(`${CLIENTS} clients, ${SECONDS} s: ${Math.round(answered / SECONDS)} verdicts/s`);
console.log(`answers: ${answers}; without an answer: ${failures}`);
console.log(`time to a verdict: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`);
console.log(
  `verdicts ${answered}, charged ${charged}, difference ${charged - answered}, reserved ${reserved}`,
);
if (charged !== answered || reserved !== 0 || tally.failed.size > 0) process.exitCode = 1;

/** One connection, opened again when the service closes it; a refusal is obeyed. */
async function client(base: string): Promise<void> {
  const { hostname, port } = new URL(base);
  const request =
    `GET /api/v1/validation/single?email=valid@mailvet.test HTTP/1.1\r\nhost: ${hostname}\r\n` +
    `x-api-key: ${KEY}\r\n\r\n`;
  while (performance.now() < endAt) {
    const socket = connect(Number(port), hostname).setNoDelay().setEncoding("utf8");
    socket.on("error", () => {}); // reported by the promises below
    try {
      await once(socket, "connect");
      while (performance.now() < endAt) {
        const startedAt = performance.now();
        socket.write(request);
        const { status, retryAfterMs, isLast } = await answerOn(socket);
        count(tally.answers, status);
        if (status === 200) tally.latencies.push(performance.now() - startedAt);
        else await delay(Math.min(retryAfterMs, LONGEST_REST_MS) * (0.5 + Math.random()));
        if (isLast) break;
      }
    } catch (error) {
      count(tally.failed, error instanceof Error ? error.message : String(error));
    } finally {
      socket.destroy();
    }
  }
}

type ReceivedAnswer = { status: number; retryAfterMs: number; isLast: boolean };

function answerOn(socket: ReturnType<typeof connect>): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    let received = "";
    const alarm = setTimeout(
      () => end(new Error(`no answer in ${NO_ANSWER_AFTER_MS / 1000} s`)),
      NO_ANSWER_AFTER_MS,
    );
    const onData = (chunk: string) => {
      received += chunk;
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const head = received.slice(0, headEnd);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (Buffer.byteLength(received) - headEnd - 4 < length) return;
      end(undefined, {
        status: Number(head.split(" ", 2)[1]),
        retryAfterMs: Number(/^retry-after: (\d+)/im.exec(head)?.[1] ?? 0) * 1000,
        isLast: /^connection: close/im.test(head),
      });
    };
    const onClose = () => end(new Error("connection closed"));
    const onError = (error: Error) => end(error);
    function end(error: Error | undefined, answer?: ReceivedAnswer) {
      clearTimeout(alarm);
      socket.off("data", onData).off("close", onClose).off("error", onError);
      if (answer) resolve(answer);
      else reject(error);
    }
    socket.on("data", onData).on("close", onClose).on("error", onError);
  });
}

async function untilReady(base: string): Promise<void> {
  while (!(await fetch(`${base}/health/ready`)).ok) await delay(100);
  while (!(await fetch(`${base}/api/v1/credits`, { headers: { "x-api-key": KEY } })).ok) await delay(100);
}

async function credits(base: string): Promise<{ balance: number; reserved: number }> {
  const answer = await fetch(`${base}/api/v1/credits`, { headers: { "x-api-key": KEY } });
  return (await answer.json()) as { balance: number; reserved: number };
}
