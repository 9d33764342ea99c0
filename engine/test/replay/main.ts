/**
 * npm run replay -- FILE: the verdict for each reply in a file of JSON lines {stage, code, enhanced, text, provider}.
 *
 * Prints one line for each: verdict, confidence, the rule that decided, and the reply. Rows with a `truth` are also
 * scored: the rows with another verdict, and a table of truths and verdicts.
 */
import { readFileSync } from "node:fs";
import { type ReplayRow, replay } from "./replay.ts";
import { emptyScore, type LabelledRow, scoreRow } from "./score.ts";

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: npm run replay -- FILE   (JSON lines with stage, code, enhanced, text, provider)");
  process.exit(2);
}

const tally = new Map<string, number>();
const score = emptyScore();
let failures = 0;
for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
  if (line.trim() === "") continue;
  try {
    const row: ReplayRow = JSON.parse(line);
    const replayed = replay(row);
    const { status, subStatus, confidence, rule } = replayed;
    const said =
      row.reply ?? [row.code, row.enhanced, row.text].filter((part) => part !== undefined).join(" ");
    const words = [status, subStatus || "-", confidence.toFixed(2), row.stage ?? "rcpt", rule];
    console.log([...words, said.replace(/\s+/g, " ")].join("\t"));
    tally.set(status, (tally.get(status) ?? 0) + 1);
    if ("truth" in row) scoreRow(score, row as LabelledRow, replayed);
  } catch (error) {
    failures++;
    console.error(`line ${index + 1}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
if (score.rows > 0) {
  for (const line of score.wrong) console.error(line);
  console.error(JSON.stringify(score.matrix));
  console.error(`${score.rows} labelled, ${score.rows - score.wrong.length} acceptable`);
}
console.error([...tally].map(([status, count]) => `${status} ${count}`).join(", "));
if (failures > 0) process.exitCode = 1;
