/**
 * A flood of wrong sign-ins, each from another network, while one client asks for its account: how long that waits, compared
 * with an idle service.
 *
 *   npm run bench:sign-ins [concurrent sign-ins [seconds]]
 */
import { startBenchService } from "./bench-service.ts";
import { KEY } from "./list-run.ts";

const CONCURRENT = Number(process.argv[2] ?? 60);
const SECONDS = Number(process.argv[3] ?? 10);
const PAUSE_MS = 20;

await using service = await startBenchService({ LOG_LEVEL: "error", TRUSTED_PROXIES: "127.0.0.1" });
const api = `${service.url}/api/v1`;
let network = 0;

await askFor(2); // warm up
report("idle", await askFor(SECONDS));
const answers = new Map<number, number>();
const endAt = performance.now() + SECONDS * 1000;
const flood = Promise.all(Array.from({ length: CONCURRENT }, signInUntilEnd));
report(`during ${CONCURRENT} concurrent sign-ins`, await askFor(SECONDS));
await flood;
console.log(
  `answers to sign-ins: ${[...answers].map(([status, times]) => `${times} × ${status}`).join(", ")}`,
);

async function signInUntilEnd(): Promise<void> {
  while (performance.now() < endAt) {
    const from = `198.${18 + (network >> 16)}.${(network >> 8) & 255}.${network++ & 255}`;
    const { status } = await fetch(`${api}/auth/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": from },
      body: JSON.stringify({ email: `person${network}@team.example`, password: "not the password" }),
    });
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
}

async function askFor(seconds: number): Promise<number[]> {
  const latencies: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const startedAt = performance.now();
    await (await fetch(`${api}/account`, { headers: { "x-api-key": KEY } })).arrayBuffer();
    latencies.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return latencies.sort((a, b) => a - b);
}

function report(when: string, sorted: readonly number[]): void {
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  console.log(
    `${when}: ${sorted.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`,
  );
}
