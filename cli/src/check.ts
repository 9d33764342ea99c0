/** mailvet check: the engine on this machine, one address or a list, results in the contract's shape. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Status, ValidationResult } from "@mailvet/contract";
import { LEVELS, type Level, reportOf, type Verifier, verifierFrom } from "@mailvet/engine";
import { type Command, CommanderError, Option } from "commander";
import { addressesFrom } from "./address-source.ts";
import { cardOf, lineOf, summaryOf } from "./card.ts";
import { inOrder } from "./in-order.ts";
import { localSettings } from "./local-settings.ts";
import { progressOn } from "./progress.ts";
import { paintFor } from "./terminal.ts";

/** How many addresses are under way at once: looking at text takes no waiting, asking others does. */
const WIDTH: Record<Level, number> = { syntax: 1, dns: 256, smtp: 5000 };

/** Output is collected to about this size before it is written, which is what makes a long list fast. */
const OUTPUT_CHUNK = 32 * 1024;

type CheckOptions = { file?: string; level: Level; json?: true };

export function addCheckCommand(program: Command): void {
  program
    .command("check")
    .summary("check addresses with the engine on this machine")
    .description(
      "Check addresses with the engine on this machine and say what was found, in the order they were given.",
    )
    .argument("[address...]", "addresses to check")
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
Blank lines are skipped; every other line gets exactly one result.

Examples:
  mailvet check ann@example.com
  mailvet check --json --file list.txt > results.jsonl
  cut -d, -f2 people.csv | mailvet check --file -

Exit code 0 when it ran, whatever the verdicts; 2 when the command could not be understood.`,
    )
    .action(check);
}

async function check(addresses: string[], options: CheckOptions): Promise<void> {
  if (addresses.length === 0 && options.file === undefined) {
    throw new CommanderError(2, "mailvet.nothing", "name an address to check, or a list with --file");
  }
  const verifier = verifierFrom(localSettings());
  try {
    await checkAll(verifier, addresses, options);
  } finally {
    await verifier.close();
  }
}

async function checkAll(verifier: Verifier, addresses: string[], options: CheckOptions): Promise<void> {
  const single = options.file === undefined && addresses.length === 1;
  const paint = paintFor(process.stdout);
  const present = (result: ValidationResult): string => {
    if (options.json) return JSON.stringify(result);
    return single ? cardOf(result, paint) : lineOf(result, paint);
  };

  const started = performance.now();
  const counts: Record<Status, number> = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  await using progress = await progressOn(process.stderr, addresses.length, options.file);
  const source = addressesFrom(addresses, options.file);
  let output = "";
  for await (const result of inOrder(source, WIDTH[options.level], (email) =>
    checkOne(verifier, email, options.level),
  )) {
    counts[result.status]++;
    output += `${present(result)}\n`;
    progress.advance(result.email);
    if (output.length >= OUTPUT_CHUNK || progress.isShown) {
      await print(output);
      output = "";
    }
  }
  await print(output);
  if (!single && !options.json)
    process.stderr.write(`${summaryOf(counts, (performance.now() - started) / 1000)}\n`);
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

async function print(text: string): Promise<void> {
  if (text !== "" && !process.stdout.write(text)) await once(process.stdout, "drain");
}
