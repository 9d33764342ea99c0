/** mailvet clean: a whole file with the engine on this machine, its own rows back with a verdict each. */
import { basename } from "node:path";
import { LEVELS, type Level, verifierFrom } from "@mailvet/engine";
import { ListFileTrouble } from "@mailvet/engine/list-file";
import { type Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { Interrupted, listenForInterruption, unlessInterrupted, whenInterrupted } from "../interruption.ts";
import { chooseColumn } from "../list-file/email-column.ts";
import { checkList, emptyTally, type ListTally } from "../list-file/list-check.ts";
import { openListOnDisk } from "../list-file/list-on-disk.ts";
import { openTable, surveyTable, writeTable } from "../list-file/list-table.ts";
import { type OutOptions, openResultsFile, partialPath, resultsPath } from "../list-file/results-file.ts";
import { openVerdictStore } from "../list-file/verdict-store.ts";
import { localSettings } from "../local-settings.ts";
import { summaryOf } from "../output/card.ts";
import { readDuration } from "../output/duration.ts";
import { printable } from "../output/terminal.ts";

type CleanOptions = OutOptions & { column?: string; level: Level; patience: number };

/** Long enough for the six minutes that most servers want. */
const DEFAULT_PATIENCE_MS = 10 * 60_000;

export function addCleanCommand(program: Command): void {
  program
    .command("clean")
    .summary("check a whole CSV file with the engine on this machine")
    .description(
      "Check a whole file of emails with the engine on this machine, without any service, and write it again: your " +
        "own rows and columns in their order, with the verdict of each appended.",
    )
    .argument("<list>", "a CSV file (also TSV, semicolons, pipes, or .gz of them); - is standard input")
    .option(
      "-o, --out <file>",
      "where the results go: NAME-results.csv beside the list unless told; - is standard output",
    )
    .option("--force", "replace that file when it is there already")
    .option("-c, --column <name>", "the column with the emails; found by its cells unless told")
    .addOption(new Option("-l, --level <level>", "how far to go").choices([...LEVELS]).default("smtp"))
    .addOption(
      new Option(
        "--patience <time>",
        "how much longer to stay, at the end, for servers that ask to come back later: 90s, 15m, 2h, or 0",
      )
        .argParser(patience)
        .default(DEFAULT_PATIENCE_MS, "10m"),
    )
    .addHelpText(
      "after",
      `
The file may be UTF-8, UTF-16, Latin-1 or Windows-1252, with a header or without. An email that is repeated is asked
for once. Results are CSV in UTF-8 with the file's own delimiter; rows without an email stay, with empty verdicts.
Memory grows by some 40 bytes a row, whatever stands in it; verdicts wait in a temporary file until all are there.

Many servers put strangers off for some minutes before they answer. Such rows are asked again at the end, when the
server said, as long as --patience allows; what is still unsettled then is "unknown".

Ctrl-C stops asking and writes what was found so far: to the file itself when every row was asked at least once, and
to NAME.partial.csv when not. Pressed twice, nothing is written.

Examples:
  mailvet clean people.csv
  mailvet clean people.csv --column "E-mail" --out clean.csv --patience 30m
  zcat people.csv.gz | mailvet clean - --level dns --out - > checked.csv

Exit code 0 when it ran, whatever the verdicts; 2 when the command could not be understood or the file is no list;
130 when it was interrupted.`,
    )
    .action(clean);
}

async function clean(list: string, options: CleanOptions): Promise<void> {
  const path = await resultsPath(list, options);
  const verifier = verifierFrom(localSettings());
  using interruption = listenForInterruption();
  const { signal } = interruption;
  try {
    if (process.stderr.isTTY) say("reading …");
    await using source = await whenInterrupted(NOTHING_YET, openListOnDisk(list, signal));
    const found = await whenInterrupted(NOTHING_YET, unlessInterrupted(surveyTable(source), signal));
    const column = chooseColumn({ list, ...found }, options.column);
    const rowCount = `${count(found.rows)} ${found.rows === 1 ? "row" : "rows"}`;
    say(`${nameOf(list)}: ${rowCount}, emails in "${printable(found.columns[column]!)}"`);

    using verdicts = openVerdictStore(found.rows);
    const tally = emptyTally();
    const { batches: rows } = await openTable(source);
    const order = { rows, rowCount: found.rows, column, level: options.level, patienceMs: options.patience };
    const interrupted = await asFarAsItGoes(checkList({ verifier, verdicts, signal }, order, tally));
    const target = tally.isComplete || path === "-" ? path : await partialPath(path);
    await using file = await openResultsFile(target, options);
    await writeTable(source, verdicts, file);
    say(summaryOf(tally.counts, tally.seconds) + alsoIn(tally));
    if (target !== "-") say(`results in ${target}`);
    if (interrupted) throw withLastWords(interrupted, tally);
  } catch (error) {
    if (!(error instanceof ListFileTrouble)) throw error;
    throw new CommanderError(2, "mailvet.list", `${nameOf(list)}: ${error.message}`);
  } finally {
    await verifier.close();
  }
}

const NOTHING_YET = "nothing was checked yet, and nothing is written";

/** What was found before an interruption is worth keeping. */
async function asFarAsItGoes(work: Promise<void>): Promise<Interrupted | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Interrupted) return error;
    throw error;
  }
}

function withLastWords(interrupted: Interrupted, { isComplete }: ListTally): Interrupted {
  interrupted.message = isComplete
    ? "stopped before those who asked for patience were asked again; every row is there"
    : "stopped before the end; rows that were not reached have no verdict";
  return interrupted;
}

function alsoIn({ duplicates, blanks }: ListTally): string {
  const more = [
    duplicates > 0 ? `; ${count(duplicates)} repeated` : "",
    blanks > 0 ? `; ${count(blanks)} without an email` : "",
  ];
  return more.join("");
}

function patience(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("It must be a time such as 90s, 15m or 2h, or 0.");
  return ms;
}

const nameOf = (list: string) => (list === "-" ? "standard input" : printable(basename(list)));
const count = (number: number) => number.toLocaleString("en");

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
