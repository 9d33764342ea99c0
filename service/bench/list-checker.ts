/**
 * A list through a running service, for the benchmarks of mailbox checks (engine/bench/smtp/measure.ts): API, worker and
 * database started as `npm start` does, warmed by another list. The time is from the upload of the file to the end of the
 * download, the CPU time that of the service and of its database.
 *
 *   list-checker.ts LIST WARM-UP-LIST      (settings of the engine in the environment)
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serverPid } from "../../embedded-postgres/test/launcher-program.ts";
import { startBenchService } from "./bench-service.ts";
import { KEY, runList } from "./list-run.ts";
import { cpuSecondsOf, cpuSecondsOfTree } from "./process-figures.ts";

const [emails = "", warmUp = ""] = process.argv.slice(2).map((file) => readFileSync(file, "utf8"));
await using service = await startBenchService({ LOG_LEVEL: "warn", ...process.env });
const base = `${service.url}/api/v1`;
const database = serverPid(join(service.folder, "data"))!;

await check(warmUp);
process.stdout.write("# warm\n");
await once(process.stdin, "data");

const startedAt = performance.now();
const cpuBefore = cpuSeconds();
const words = await check(emails);
const figures = { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: cpuSeconds() - cpuBefore };
process.stdout.write(`${words.join("")}# ${JSON.stringify(figures)}\n`);
process.stdin.destroy();

async function check(list: string): Promise<string[]> {
  const { job } = await runList(base, `email\n${list}`);
  const url = `${base}/bulk/jobs/${job.id}/download?format=ndjson`;
  const answer = await fetch(url, { headers: { "x-api-key": KEY } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  const rows = (await answer.text()).trimEnd().split("\n");
  return rows.map((row) => {
    const { email, status } = JSON.parse(row) as { email: string; status: string };
    return `${email}\t${status}\n`;
  });
}

function cpuSeconds(): number {
  return cpuSecondsOf(service.pid) + cpuSecondsOfTree(database);
}
