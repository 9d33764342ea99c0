/** mailvet check: checks addresses with the local engine or at a service, and prints one result each. */
import type { BulkItem, Status, ValidationResult } from "@mailvet/contract";
import { LEVELS, type Level } from "@mailvet/contract/words";
import { type Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addressesFrom } from "../check/address-source.ts";
import type { CheckEmails } from "../check/local-check.ts";
import { bufferOutputTo } from "../output/buffered-output.ts";
import { cardOf, lineOf, summaryOf } from "../output/card.ts";
import { type ProgressBar, progressBarOn } from "../output/progress-bar.ts";
import { paintFor } from "../output/terminal.ts";
import { checkListRemotely, checkOneRemotely } from "../remote/remote-check.ts";
import {
  addServiceOptions,
  printPlace,
  rejectIfTyped,
  type ServiceOptions,
  serviceFrom,
} from "../remote/service.ts";

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
    .summary("check addresses, locally or at a service")
    .description(
      "Check addresses and print one result each, in input order. Uses the engine on this machine, or a Mailvet " +
        "service if one is given.",
    )
    .argument("[address...]", "addresses to check; - reads standard input")
    .option(
      "-f, --file <list>",
      "list with one address per line, or JSON lines if it ends in .jsonl or .ndjson; - reads standard input",
    )
    .addOption(new Option("-l, --level <level>", "depth of the check").choices([...LEVELS]).default("smtp"))
    .option("--timeout <seconds>", "response time limit of the service, 1 to 60", secondsFrom(1, 60))
    .option(
      "--fresh <seconds>",
      "maximum age of cached results of the service; 0 disables its cache",
      secondsFrom(0),
    )
    .option("--json", "print one JSON object per line, as returned by the API");
  addServiceOptions(check)
    .addHelpText(
      "after",
      `
Levels:
  syntax   syntax, typos and reference lists only; no network
  dns      also look up mail servers and policies of the domain (SPF, DMARC, MTA-STS)
  smtp     also ask the mail server whether it accepts the mailbox; no mail is sent

Lists:
  Every line that is not blank gets exactly one result. Lines are cut after 8 KiB.
  The text may be UTF-8, UTF-16, Latin-1 or Windows-1252.
  In a .jsonl or .ndjson list each line is a string or an object {"email": "…"}, so that any character can be passed.

With a service:
  A single address gets the full result. A list is sent in requests of 1,000 and gets the short bulk results.
  A check that exceeds --timeout is reported as unknown and continues at the service; run it again for the result.
  Each unique address costs one credit. The remaining credits are printed at the end.

Examples:
  mailvet check ann@example.com
  mailvet check --json --file list.txt > results.jsonl
  cut -d, -f2 people.csv | mailvet check --file -
  MAILVET_API_KEY=… mailvet check --service https://mailvet.example.com --file list.txt

Exit codes:
  0    success, whatever the verdicts
  1    the service rejected a request or could not be reached, with the results up to then printed; or the results
       could not be written
  2    invalid usage, or a list that is not text or cannot be decoded; results of the lines before are printed
  130  interrupted; results up to the first missing one are printed`,
    )
    .action(run);
}

async function run(args: string[], options: CheckOptions, command: Command): Promise<void> {
  const input = inputFrom(args, options.file);
  const { list, isSingle } = input;
  const service = serviceFrom(options);
  if (/\.(csv|xlsx|ods|gz)$/i.test(list ?? "")) {
    process.stderr.write(
      `mailvet: this looks like a table; for files with columns, use: mailvet clean ${list}\n`,
    );
  }
  if (!service)
    for (const [option, flag] of SERVICE_ONLY)
      rejectIfTyped(command, option, `${flag} needs a service; set it with --service`);
  const checkRemotely = isSingle ? checkOneRemotely : checkListRemotely;
  const { level, timeout: timeoutSeconds, fresh: freshSeconds } = options;
  const request = { level: level === "smtp" ? undefined : level, timeoutSeconds, freshSeconds };
  const check = service
    ? checkRemotely(service, request)
    : await checkLocally(level, input.list !== undefined);
  printPlace(service);
  await checkAll(check, input, options.json);
  const credits = service?.client.creditsRemaining;
  if (credits !== undefined) process.stderr.write(`${credits.toLocaleString("en")} credits remaining\n`);
}

const SERVICE_ONLY = [
  ["apiKey", "--api-key"],
  ["timeout", "--timeout"],
  ["fresh", "--fresh"],
] as const;

function secondsFrom(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const seconds = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (seconds >= min && seconds <= max) return seconds;
    const upTo = max === Number.MAX_SAFE_INTEGER ? " or more" : ` to ${max}`;
    throw new InvalidArgumentError(`Expected whole seconds, ${min}${upTo}.`);
  };
}

async function checkLocally(level: Level, isList: boolean): Promise<CheckEmails> {
  const local = await import("../check/local-check.ts");
  return local.checkLocally(level, isList);
}

type Input = { addresses: string[]; list: string | undefined; isSingle: boolean };

function inputFrom(args: string[], file: string | undefined): Input {
  const addresses = args.filter((arg) => arg !== STANDARD_INPUT);
  const list = file ?? (addresses.length < args.length ? STANDARD_INPUT : undefined);
  if (addresses.length < args.length && list !== STANDARD_INPUT)
    throw new CommanderError(2, "mailvet.lists", "only one list is allowed: standard input (-) or --file");
  if (list !== undefined || addresses.length > 0)
    return { addresses, list, isSingle: list === undefined && addresses.length === 1 };
  throw new CommanderError(
    2,
    "mailvet.nothing",
    "nothing to check: give an address, or a list with --file (--file - reads standard input)",
  );
}

async function checkAll(
  check: CheckEmails,
  { addresses, list, isSingle }: Input,
  json: true | undefined,
): Promise<void> {
  const paint = paintFor(process.stdout);
  const present = (result: ValidationResult | BulkItem): string => {
    if (json) return JSON.stringify(result);
    return isSingle && "details" in result ? cardOf(result, paint) : lineOf(result, paint);
  };

  const started = performance.now();
  const counts: Record<Status, number> = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  using progress = await progressBarOn(process.stderr, addresses.length, list);
  using output = bufferOutputTo(process.stdout);
  using _interruption = onInterruption(progress, () => output.flush());
  for await (const result of check(addressesFrom(addresses, list))) {
    counts[result.status]++;
    await output.print(`${present(result)}\n`);
    progress.advance(result.email);
  }
  output.flush();
  if (!isSingle && !json)
    process.stderr.write(`${summaryOf(counts, (performance.now() - started) / 1000)}\n`);
}

/** Ctrl-C flushes the results before exiting. A second Ctrl-C exits at once, even if the reader is blocked. */
function onInterruption(progress: ProgressBar, flush: () => void): Disposable {
  const stop = () => {
    flush();
    progress[Symbol.dispose]();
    process.stdout.write("", () => process.exit(INTERRUPTED));
  };
  process.once("SIGINT", stop);
  return { [Symbol.dispose]: () => process.off("SIGINT", stop) };
}
