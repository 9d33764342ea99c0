/**
 * The engine through its library, in a warm process: a service is warm when a list arrives. The warm-up uses a verifier of
 * its own, so that only the compiled code is kept; then the parent says when to begin.
 *
 *   library.ts LIST      (settings in the environment)
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { decide, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import type { OwnFigures } from "./measure.ts";

const WARM_UP_ADDRESSES = 1500;

const emails = readFileSync(process.argv[2] ?? "", "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t", 1)[0] ?? "");
await check(emails.slice(0, WARM_UP_ADDRESSES));
process.stdout.write("# warm\n");
await once(process.stdin, "data");

const started = performance.now();
const cpuBefore = process.cpuUsage();
const words = await check(emails);
const { user, system } = process.cpuUsage(cpuBefore);
const figures: OwnFigures = {
  seconds: (performance.now() - started) / 1000,
  cpuSeconds: (user + system) / 1e6,
  peakRssMiB: process.resourceUsage().maxRSS / 1024,
};
process.stdout.write(`${words.join("")}# ${JSON.stringify(figures)}\n`);
process.stdin.destroy();

async function check(list: readonly string[]): Promise<string[]> {
  const read = settingsFrom(process.env);
  const verifier = verifierFrom(readEngineSettings(read));
  read.reportProblems();
  const words: string[] = [];
  for await (const evidence of verifier.verifyMany(list, "smtp")) {
    words.push(`${evidence.email}\t${decide(evidence).status}\n`);
  }
  await verifier.close();
  return words;
}
