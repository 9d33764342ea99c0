/**
 * npm run replay -- FILE: the verdict for each reply in a file of JSON lines {stage, code, enhanced, text, provider}.
 *
 * Prints one line for each: verdict, confidence, the rule that decided, and the reply.
 */
import { readFileSync } from "node:fs";
import { type ReplayRow, replay } from "./replay.ts";

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: npm run replay -- FILE   (JSON lines with stage, code, enhanced, text, provider)");
  process.exit(2);
}

const tally = new Map<string, number>();
let failures = 0;
for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
  if (line.trim() === "") continue;
  try {
    const row: ReplayRow = JSON.parse(line);
    const { status, subStatus, confidence, rule } = replay(row);
    const said =
      row.reply ?? [row.code, row.enhanced, row.text].filter((part) => part !== undefined).join(" ");
    const words = [status, subStatus || "-", confidence.toFixed(2), row.stage ?? "rcpt", rule];
    console.log([...words, said.replace(/\s+/g, " ")].join("\t"));
    tally.set(status, (tally.get(status) ?? 0) + 1);
  } catch (error) {
    failures++;
    console.error(`line ${index + 1}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
console.error([...tally].map(([status, count]) => `${status} ${count}`).join(", "));
if (failures > 0) process.exitCode = 1;
