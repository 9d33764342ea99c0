/** mailvet check: one address or a list, here or at a service, results in the contract's shape. */
import type { BulkItem, Status, ValidationResult } from "@mailvet/contract";
import { LEVELS, type Level } from "@mailvet/contract/words";
import { type Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addressesFrom } from "./address-source.ts";
import { cardOf, lineOf, summaryOf } from "./card.ts";
import type { CheckEmails } from "./local-check.ts";
import { outletTo } from "./outlet.ts";
import { type Progress, progressOn } from "./progress.ts";
import { checkListAt, checkOneAt } from "./remote-check.ts";
import { addServiceOptions, badUsage, type ServiceOptions, serviceFrom } from "./service.ts";
import { paintFor } from "./terminal.ts";

const STANDARD_INPUT = "-";
const INTERRUPTED = 130;

type CheckOptions = ServiceOptions & {
  file?: string;
  level: Level;
  timeout?: number;
  fresh?: number;
  json?: true;
};

export function addCheckCommand(program: Command): void {
  const check = program
    .command("check")
    .summary("check addresses, with the engine on this machine or at a service")
    .description(
      "Check addresses and say what was found, in the order they were given: with the engine on this machine, " +
        "or at a Mailvet service.",
    )
    .argument("[address...]", "addresses to check; - is standard input")
    .option(
      "-f, --file <list>",
      "a list of addresses, one a line; JSON lines when it ends in .jsonl; - is standard input",
    )
    .addOption(new Option("-l, --level <level>", "how far to go").choices([...LEVELS]).default("smtp"))
    .option("--timeout <seconds>", "1 to 60: the time a service has for each answer", secondsFrom(1, 60))
    .option(
      "--fresh <seconds>",
      "do not use what a service has cached for longer; 0 uses nothing cached",
      secondsFrom(0),
    )
    .option("--json", "print one JSON object a line, in the shape the API returns");
  addServiceOptions(check)
    .addHelpText(
      "after",
      `
Levels:
  syntax   look at the text only: syntax, spelling, reference lists
  dns      also find the domain's mail servers and policies (SPF, DMARC, MTA-STS)
  smtp     also ask the mail server for the mailbox, without sending anything

With a service, what is not settled within --timeout is unknown, and the check goes on there: asking again finds its
result. One address has its result in full; a list goes in requests of 1,000 and has the short results of
bulk validation. Each address costs a credit, a repeated one only once. What is left is said at the end.

In a .jsonl list each line is a string or an object {"email": "…"}, so any character can be passed.
Blank lines are skipped; every other line gets exactly one result. A line is cut after 8 KiB.

Examples:
  mailvet check ann@example.com
  mailvet check --json --file list.txt > results.jsonl
  cut -d, -f2 people.csv | mailvet check --file -
  MAILVET_API_KEY=… mailvet check --service https://mailvet.example.com --file list.txt

Exit code 0 when it ran, whatever the verdicts; 1 when the service refused or could not be reached, after every
result that was had has been printed; 2 when the command could not be understood; 130 when it was interrupted,
after everything up to the first address without a result has been printed.`,
    )
    .action(run);
}

async function run(words: string[], options: CheckOptions, command: Command): Promise<void> {
  const order = whatToCheck(words, options.file);
  const { list, isSingle } = order;
  const service = serviceFrom(options);
  if (list?.toLowerCase().endsWith(".csv")) {
    const better = `mailvet ${service ? "job run" : "clean"} ${list}`;
    process.stderr.write(`mailvet: this looks like CSV; for files with columns there is: ${better}\n`);
  }
  if (!service)
    for (const [option, flag] of FOR_SERVICES)
      refuse(command, option, `${flag} is for a service; name it with --service`);
  const checkAt = isSingle ? checkOneAt : checkListAt;
  const { level, timeout: timeoutSeconds, fresh: freshSeconds } = options;
  const wishes = { level: level === "smtp" ? undefined : level, timeoutSeconds, freshSeconds };
  await checkAll(service ? checkAt(service, wishes) : await checkHere(level), order, options.json);
  const credits = service?.client.creditsRemaining;
  if (credits !== undefined) process.stderr.write(`${credits.toLocaleString("en")} credits left\n`);
}

const FOR_SERVICES = [
  ["apiKey", "--api-key"],
  ["timeout", "--timeout"],
  ["fresh", "--fresh"],
] as const;

function secondsFrom(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const seconds = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (seconds >= min && seconds <= max) return seconds;
    const upTo = max === Number.MAX_SAFE_INTEGER ? " or more" : ` to ${max}`;
    throw new InvalidArgumentError(`It must be whole seconds, ${min}${upTo}.`);
  };
}

async function checkHere(level: Level): Promise<CheckEmails> {
  const local = await import("./local-check.ts");
  return local.checkHere(level);
}

/** What stands in the environment may be there for other commands; what was typed was meant. */
function refuse(command: Command, option: keyof CheckOptions, why: string): void {
  if (command.getOptionValueSource(option) === "cli") throw badUsage(why);
}

type Order = { addresses: string[]; list: string | undefined; isSingle: boolean };

function whatToCheck(words: string[], file: string | undefined): Order {
  const addresses = words.filter((word) => word !== STANDARD_INPUT);
  const list = file ?? (addresses.length < words.length ? STANDARD_INPUT : undefined);
  if (addresses.length < words.length && list !== STANDARD_INPUT)
    throw new CommanderError(2, "mailvet.lists", "give one list: standard input (-) or the one with --file");
  if (list !== undefined || addresses.length > 0)
    return { addresses, list, isSingle: list === undefined && addresses.length === 1 };
  throw new CommanderError(
    2,
    "mailvet.nothing",
    "name an address to check, or a list with --file; --file - is standard input",
  );
}

async function checkAll(
  check: CheckEmails,
  { addresses, list, isSingle }: Order,
  json: true | undefined,
): Promise<void> {
  const paint = paintFor(process.stdout);
  const present = (result: ValidationResult | BulkItem): string => {
    if (json) return JSON.stringify(result);
    return isSingle && "details" in result ? cardOf(result, paint) : lineOf(result, paint);
  };

  const started = performance.now();
  const counts: Record<Status, number> = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  using progress = await progressOn(process.stderr, addresses.length, list);
  using outlet = outletTo(process.stdout);
  using _interruption = onInterruption(progress, () => outlet.flush());
  for await (const result of check(addressesFrom(addresses, list))) {
    counts[result.status]++;
    await outlet.print(`${present(result)}\n`);
    progress.advance(result.email);
  }
  outlet.flush();
  if (!isSingle && !json)
    process.stderr.write(`${summaryOf(counts, (performance.now() - started) / 1000)}\n`);
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
