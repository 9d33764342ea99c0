/** mailvet check: the engine on this machine, one address or a list, results in the contract's shape. */
import { randomUUID } from "node:crypto";
import type { Status, ValidationResult } from "@mailvet/contract";
import { LEVELS, type Level, reportOf, type Verifier, verifierFrom } from "@mailvet/engine";
import { type Command, CommanderError, Option } from "commander";
import { addressesFrom } from "./address-source.ts";
import { cardOf, lineOf, summaryOf } from "./card.ts";
import { inOrder } from "./in-order.ts";
import { localSettings } from "./local-settings.ts";
import { outletTo } from "./outlet.ts";
import { type Progress, progressOn } from "./progress.ts";
import { paintFor } from "./terminal.ts";

/** How many addresses are under way at once: the longer an answer takes, the more. */
const WIDTH: Record<Level, number> = { syntax: 256, dns: 256, smtp: 5000 };

const STANDARD_INPUT = "-";
const INTERRUPTED = 130;

type CheckOptions = { file?: string; level: Level; json?: true };

export function addCheckCommand(program: Command): void {
  program
    .command("check")
    .summary("check addresses with the engine on this machine")
    .description(
      "Check addresses with the engine on this machine and say what was found, in the order they were given.",
    )
    .argument("[address...]", "addresses to check; - is standard input")
    .option(
      "-f, --file <list>",
      "a list of addresses, one a line; JSON lines when it ends in .jsonl; - is standard input",
    )
    .addOption(new Option("-l, --level <level>", "how far to go").choices([...LEVELS]).default("smtp"))
    .option("--json", "print one JSON object a line, in the shape the API returns")
    .addHelpText(
      "after",
      `
Levels:
  syntax   look at the text only: syntax, spelling, reference lists
  dns      also find the domain's mail servers and policies (SPF, DMARC, MTA-STS)
  smtp     also ask the mail server for the mailbox, without sending anything

In a .jsonl list each line is a string or an object {"email": "…"}, so any character can be passed.
Blank lines are skipped; every other line gets exactly one result. A line is cut after 8 KiB.

Examples:
  mailvet check ann@example.com
  mailvet check --json --file list.txt > results.jsonl
  cut -d, -f2 people.csv | mailvet check --file -

Exit code 0 when it ran, whatever the verdicts; 2 when the command could not be understood; 130 when it was
interrupted, after everything up to the first address without a result has been printed.`,
    )
    .action(check);
}

async function check(words: string[], options: CheckOptions): Promise<void> {
  const { addresses, list } = whatToCheck(words, options.file);
  if (list?.toLowerCase().endsWith(".csv")) {
    process.stderr.write(
      `mailvet: this looks like CSV; give one column, e.g. cut -d, -f2 ${list} | mailvet check --file -\n`,
    );
  }
  const verifier = verifierFrom(localSettings());
  try {
    await checkAll(verifier, addresses, list, options);
  } finally {
    await verifier.close();
  }
}

function whatToCheck(words: string[], file: string | undefined): { addresses: string[]; list?: string } {
  const addresses = words.filter((word) => word !== STANDARD_INPUT);
  const list = file ?? (addresses.length < words.length ? STANDARD_INPUT : undefined);
  if (addresses.length < words.length && list !== STANDARD_INPUT)
    throw new CommanderError(2, "mailvet.lists", "give one list: standard input (-) or the one with --file");
  if (list !== undefined) return { addresses, list };
  if (addresses.length > 0) return { addresses };
  throw new CommanderError(
    2,
    "mailvet.nothing",
    "name an address to check, or a list with --file; --file - is standard input",
  );
}

async function checkAll(
  verifier: Verifier,
  addresses: string[],
  list: string | undefined,
  { json, level }: CheckOptions,
): Promise<void> {
  const single = list === undefined && addresses.length === 1;
  const paint = paintFor(process.stdout);
  const present = (result: ValidationResult): string => {
    if (json) return JSON.stringify(result);
    return single ? cardOf(result, paint) : lineOf(result, paint);
  };

  const started = performance.now();
  const counts: Record<Status, number> = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  using progress = await progressOn(process.stderr, addresses.length, list);
  using outlet = outletTo(process.stdout);
  using _interruption = onInterruption(progress, () => outlet.flush());
  const work = (email: string) => checkOne(verifier, email, level);
  for await (const result of inOrder(addressesFrom(addresses, list), WIDTH[level], work)) {
    counts[result.status]++;
    await outlet.print(`${present(result)}\n`);
    progress.advance(result.email);
  }
  outlet.flush();
  if (!single && !json) process.stderr.write(`${summaryOf(counts, (performance.now() - started) / 1000)}\n`);
}

/** Ctrl-C still prints every result whose turn had come. Pressed again, while nobody takes them, it ends us at once. */
function onInterruption(progress: Progress, flush: () => void): Disposable {
  const leave = () => {
    flush();
    progress[Symbol.dispose]();
    process.stdout.write("", () => process.exit(INTERRUPTED));
  };
  process.once("SIGINT", leave);
  return { [Symbol.dispose]: () => process.off("SIGINT", leave) };
}

async function checkOne(verifier: Verifier, email: string, level: Level): Promise<ValidationResult> {
  const started = performance.now();
  const evidence = await verifier.verify(email, level);
  if (evidence.failure)
    process.stderr.write(`mailvet: this is a bug, please report it: ${evidence.failure}\n`);
  return reportOf(evidence, {
    requestId: randomUUID(),
    planTier: "local",
    responseTimeMs: performance.now() - started,
    checkedAtMs: Date.now(),
    cached: false,
  });
}
