/** mailvet clean: checks a CSV file, locally or at a service, and writes it with a verdict per row. */
import { mkdtemp, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { LEVELS, type Level, verifierFrom } from "@mailvet/engine";
import { ListFileError } from "@mailvet/engine/list-file";
import { type Command, CommanderError, InvalidArgumentError, Option } from "commander";
import {
  Interrupted,
  listenForInterruption,
  unlessInterrupted,
  withInterruptMessage,
} from "../interruption.ts";
import { chooseColumn } from "../list-file/email-column.ts";
import { checkList, emptyTally, type ListTally } from "../list-file/list-check.ts";
import { openListOnDisk } from "../list-file/list-on-disk.ts";
import { assertReadable } from "../list-file/list-path.ts";
import { openTable, surveyTable, writeTable } from "../list-file/list-table.ts";
import {
  type OutOptions,
  openResultsFile,
  partialPath,
  type ResultsFile,
  resultsPath,
} from "../list-file/results-file.ts";
import { openVerdictStore } from "../list-file/verdict-store.ts";
import { localSettings } from "../local-settings.ts";
import { summaryOf } from "../output/card.ts";
import { parseDuration } from "../output/duration.ts";
import { explainSystemError, SystemFailure } from "../output/system-failure.ts";
import { printable } from "../output/terminal.ts";
import {
  addServiceOptions,
  printPlace,
  rejectIfTyped,
  type ServiceOptions,
  serviceFrom,
} from "../remote/service.ts";
import { withService } from "./job.ts";
import { runJob } from "./job-run.ts";

type CleanOptions = OutOptions &
  ServiceOptions & { column?: string; sheet?: string; level: Level; patience: number };

/** Most greylisting servers accept a retry after six minutes. */
const DEFAULT_PATIENCE_MS = 10 * 60_000;

export function addCleanCommand(program: Command): void {
  const command = program
    .command("clean")
    .summary("check a CSV, XLSX or ODS file, locally or at a service")
    .description(
      "Check a file of emails and write a copy: all rows and columns in their order, with the verdict columns appended. " +
        "Uses the engine on this machine, or a Mailvet service if one is given.",
    )
    .argument(
      "<file>",
      "CSV file (also TSV, semicolons or pipes, optionally .gz), XLSX or ODS; - reads standard input",
    )
    .option(
      "-o, --out <file>",
      "output file (default: NAME-results.csv beside the list); - writes to standard output",
    )
    .option("--force", "replace an existing output file")
    .option("-c, --column <name>", "email column (default: detected from the cells)")
    .option("-s, --sheet <name>", "of a spreadsheet: the sheet (default: the first one with emails)")
    .addOption(new Option("-l, --level <level>", "depth of the check").choices([...LEVELS]).default("smtp"))
    .addOption(
      new Option(
        "--patience <time>",
        "time for retries of greylisted and rate-limited addresses at the end: 90s, 15m, 2h, or 0",
      )
        .argParser(durationFrom)
        .default(DEFAULT_PATIENCE_MS, "10m"),
    );
  addServiceOptions(command)
    .addHelpText(
      "after",
      `
Input may be UTF-8, UTF-16, Latin-1 or Windows-1252, with or without a header row. Duplicates are checked once.
Output is UTF-8 CSV with the delimiter of the input, and with commas if that is a spreadsheet. Rows without an email are kept, with empty verdict columns. Verdict columns of an earlier run are replaced.
Memory use is about 40 bytes per row; verdicts are kept in a temporary file until the end.

Greylisting servers reject the first attempt and accept a later one. Such addresses are retried at the end, when the
server asked for it, for as long as --patience allows. Those that are still open then are "unknown".

Ctrl-C stops the checks and writes the results so far: to the output file if every row was checked at least once,
otherwise to NAME.partial.csv. A second Ctrl-C exits without writing. A full temporary folder stops the checks like Ctrl-C.
If the output cannot be written, for instance because the disk is full, the results go to the temporary folder; if that
is full too, the rows that fit are kept in NAME.partial.csv.

With a service, the file is uploaded and checked there as a job, one credit per unique email, like mailvet job run, which
has more options; --level and --patience are not available. Ctrl-C leaves the job running. MAILVET_SERVICE= mailvet clean …
checks on this machine where a service is configured.

Examples:
  mailvet clean people.csv
  mailvet clean people.csv --column "E-mail" --out clean.csv --patience 30m
  zcat people.csv.gz | mailvet clean - --level dns --out - > checked.csv

Exit codes:
  0    success, whatever the verdicts
  1    the results could not be written, or the service could not be used
  2    invalid usage, or the file is not a list
  130  interrupted`,
    )
    .action(clean);
}

async function clean(list: string, options: CleanOptions, command: Command): Promise<void> {
  const service = serviceFrom(options);
  if (!service) {
    rejectIfTyped(command, "apiKey", "--api-key needs a service; set it with --service");
    return await cleanLocally(list, options);
  }
  for (const option of ["level", "patience"])
    rejectIfTyped(
      command,
      option,
      `--${option} is for checks on this machine; the list goes to ${service.url}`,
    );
  await withService(options, (service, signal) =>
    runJob(service, list, { ...options, format: "csv", wait: true }, signal),
  );
}

async function cleanLocally(list: string, options: CleanOptions): Promise<void> {
  const { sheet } = options;
  await assertReadable(list);
  const path = await resultsPath(list, options);
  const verifier = verifierFrom(localSettings());
  using interruption = listenForInterruption();
  const { signal } = interruption;
  try {
    if (process.stderr.isTTY) printStatus("reading …");
    await using source = await withInterruptMessage(NOTHING_YET, openListOnDisk(list, signal));
    const found = await withInterruptMessage(
      NOTHING_YET,
      unlessInterrupted(surveyTable(source, sheet), signal),
    );
    const column = chooseColumn({ list, ...found }, options.column);
    const rowCount = `${count(found.rows)} ${found.rows === 1 ? "row" : "rows"}`;
    printStatus(`${nameOf(list)}: ${rowCount}, emails in "${printable(found.columns[column]!)}"`);

    printPlace(undefined);
    using verdicts = openVerdictStore(found.rows);
    const tally = emptyTally();
    const { batches: rows } = await openTable(source, sheet);
    const input = { rows, rowCount: found.rows, column, level: options.level, patienceMs: options.patience };
    const stopped = await untilStopped(checkList({ verifier, verdicts, signal }, input, tally));
    const target = tally.isComplete || path === "-" ? path : await partialPath(path);
    await writeOrRescue(target, options, (file) => writeTable(source, verdicts, file, { sheet, column }));
    printStatus(summaryOf(tally.counts, tally.seconds) + extraCounts(tally));
    if (target !== "-") printStatus(`results written to ${target}`);
    if (stopped) throw withOutcome(stopped, tally);
  } catch (error) {
    if (!(error instanceof ListFileError)) throw error;
    throw new CommanderError(2, "mailvet.list", `${nameOf(list)}: ${error.message}`);
  } finally {
    await verifier.close();
  }
}

const NOTHING_YET = "stopped before any check; nothing was written";

type Stopped = Interrupted | SystemFailure;

/** Returns an interruption or a full disk instead of throwing it, because the results so far are still written. */
async function untilStopped(work: Promise<void>): Promise<Stopped | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Interrupted || error instanceof SystemFailure) return error;
    throw error;
  }
}

function withOutcome(stopped: Stopped, { isComplete }: ListTally): Stopped {
  const outcome = isComplete
    ? "stopped before the retries; every row has a verdict"
    : "stopped early; rows that were not checked have no verdict";
  stopped.message = stopped instanceof Interrupted ? outcome : `${stopped.message}; ${outcome}`;
  return stopped;
}

/** Results that cannot be written there, such as on a full or removed disk, took hours: they go to the temporary folder. */
async function writeOrRescue(
  target: string,
  options: OutOptions,
  write: (file: ResultsFile) => Promise<void>,
): Promise<void> {
  const ignore = () => {};
  process.stdout.on("error", ignore); // main.ts would exit
  let file: ResultsFile | undefined;
  try {
    file = await openResultsFile(target, options);
    await write(file);
  } catch (error) {
    const failure = explainSystemError(error);
    if (!(failure instanceof SystemFailure)) throw error;
    failure.message += await rescue(target, file, write);
    throw failure;
  } finally {
    await file?.[Symbol.asyncDispose]();
    process.stdout.off("error", ignore);
  }
}

/** Returns what was kept, and where. */
async function rescue(
  target: string,
  failed: ResultsFile | undefined,
  write: (file: ResultsFile) => Promise<void>,
): Promise<string> {
  const part = target === "-" ? target : await partialPath(target);
  const hasPart = await failed?.keepAs(part).catch(() => false); // its folder may be gone
  let folder = "";
  let path: string;
  try {
    folder = await mkdtemp(join(tmpdir(), "mailvet-")); // only its owner can read it
    path = join(folder, target === "-" ? "results.csv" : basename(target));
    await using file = await openResultsFile(path, {});
    await write(file);
  } catch {
    if (folder) await rm(folder, { recursive: true });
    return hasPart ? `; the first rows are in ${part}, the others are lost` : "; nothing could be kept";
  }
  if (hasPart) await unlink(part);
  return `; the results are in ${path}`;
}

function extraCounts({ duplicates, blanks }: ListTally): string {
  const more = [
    duplicates > 0 ? `; ${count(duplicates)} duplicates` : "",
    blanks > 0 ? `; ${count(blanks)} without an email` : "",
  ];
  return more.join("");
}

function durationFrom(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("Expected a duration such as 90s, 15m or 2h, or 0.");
  return ms;
}

const nameOf = (list: string) => (list === "-" ? "standard input" : printable(basename(list)));
const count = (number: number) => number.toLocaleString("en");

function printStatus(text: string): void {
  process.stderr.write(`${text}\n`);
}
