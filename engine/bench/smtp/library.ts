/**
 * The engine through its library, in a warm process: a service is warm when a list arrives. The warm-up uses addresses at
 * other domains and hosts; then the parent says when to begin.
 *
 *   library.ts LIST [WARM-UP-LIST]      (settings in the environment)
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { decide, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import type { OwnFigures } from "./measure.ts";

const [emails, warmUp] = process.argv
  .slice(2)
  .map((file) => readFileSync(file, "utf8").split("\n").filter(Boolean));
const read = settingsFrom(process.env);
const verifier = verifierFrom(readEngineSettings(read));
read.reportProblems();

await check(warmUp ?? []);
await pause(1000); // until its idle sessions have ended
process.stdout.write("# warm\n");
await once(process.stdin, "data");

const started = performance.now();
const cpuBefore = process.cpuUsage();
const words = await check(emails!);
const { user, system } = process.cpuUsage(cpuBefore);
const figures: OwnFigures = {
  seconds: (performance.now() - started) / 1000,
  cpuSeconds: (user + system) / 1e6,
  peakRssMiB: process.resourceUsage().maxRSS / 1024,
};
process.stdout.write(`${words.join("")}# ${JSON.stringify(figures)}\n`);
process.stdin.destroy();
await verifier.close();

async function check(list: readonly string[]): Promise<string[]> {
  const words: string[] = [];
  for await (const evidence of verifier.verifyMany(list, "smtp")) {
    words.push(`${evidence.email}\t${decide(evidence).status}\n`);
  }
  return words;
}
