/** mailvet job: options of the job subcommands, and the short subcommands themselves. */
import {
  ALL_SUB_STATUSES,
  DOWNLOAD_FORMATS,
  JOB_STATUSES,
  type JobStatus,
  RESULT_COLUMNS,
  RESULT_SORTS,
  RESULT_STATUSES,
} from "@mailvet/contract/words";
import { type Command, InvalidArgumentError, Option } from "commander";
import { listenForInterruption } from "../interruption.ts";
import { jobCard, jobLine } from "../output/job-view.ts";
import { type Paint, paintFor } from "../output/terminal.ts";
import {
  addServiceOptions,
  badUsage,
  printPlace,
  type RemoteService,
  requireService,
  type ServiceOptions,
} from "../remote/service.ts";
import { type DownloadOptions, downloadJob } from "./job-download.ts";
import { followJob, jobFailure, type RunOptions, runJob } from "./job-run.ts";

export const EXIT_CODES = `
Exit codes:
  0    success, whatever the verdicts
  1    the service rejected a request or could not be reached, the job failed or was cancelled, or the results could
       not be written
  2    invalid usage
  130  interrupted`;

export function addJobCommand(program: Command): void {
  const job = program
    .command("job")
    .summary("check files at a service: run, list, show, download, cancel …")
    .description("Check files of emails at a Mailvet service, and download the results.");
  addRun(job);
  addDownload(job);
  addList(job);
  addShow(job);
  for (const [name, summary, description] of TRANSITIONS) addTransition(job, name, summary, description);
  addRecheck(job);
  addDelete(job);
}

function addRun(job: Command): void {
  const run = job
    .command("run")
    .summary("upload a file, check it, and download the results")
    .description(
      "Upload a file, print what it contains and costs, start the job, show its progress, and download the results: " +
        "all rows and columns in their order, with the verdict columns appended.",
    )
    .argument(
      "<file>",
      "CSV file (also TSV, semicolons or pipes, optionally .gz), XLSX or ODS; - reads standard input",
    )
    .option("-c, --column <name>", "email column (default: detected from the cells)")
    .option("-s, --sheet <name>", "of a spreadsheet: the sheet (default: the first one with emails)")
    .option("--wait", "wait for the end and download the results (default)", true)
    .option("--no-wait", "only start the job, and print its ID; not with options of the results")
    .option("--json", "print the finished job as JSON on standard output");
  const otherOptions = [...run.options];
  addResultOptions(run, "NAME-results.csv beside the list");
  const resultOptions = run.options.filter((option) => !otherOptions.includes(option));
  addServiceOptions(run)
    .addHelpText(
      "after",
      `
Each unique email costs one credit. Credits are reserved when the job starts; unused ones are returned if it is
cancelled or fails.

Ctrl-C leaves the job running at the service, and prints how to follow or cancel it.

Examples:
  export MAILVET_SERVICE=https://mailvet.example.com MAILVET_API_KEY=…
  mailvet job run people.csv
  mailvet job run people.xlsx --sheet "Customers"
  mailvet job run people.csv --wait --only safe
  mailvet job run people.csv --column "E-mail" --out good.csv --status valid
${EXIT_CODES}`,
    )
    .action((list: string, options: ServiceOptions & RunOptions) => {
      const given = resultOptions.find(
        (option) => run.getOptionValueSource(option.attributeName()) === "cli",
      );
      if (given && !options.wait)
        throw badUsage(
          `${given.long} is for the results, which --no-wait does not download; give it to: mailvet job download`,
        );
      return withService(options, (service, signal) => runJob(service, list, options, signal));
    });
}

function addDownload(job: Command): void {
  const download = job
    .command("download")
    .summary("download the results of a job")
    .description(
      "Download the rows of a job, with their verdicts; of a running job, with those it has so far.",
    )
    .argument("<id>", "job ID");
  addResultOptions(download, "NAME-results.csv in the current directory");
  addServiceOptions(download)
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: ServiceOptions & DownloadOptions) =>
      withService(options, (service, signal) => downloadJob(service, id, options, signal)),
    );
}

function addResultOptions(command: Command, defaultFile: string): void {
  command
    .option("-o, --out <file>", `output file (default: ${defaultFile}); - writes to standard output`)
    .option("--force", "replace an existing output file")
    .addOption(new Option("--format <format>", "file format").choices([...DOWNLOAD_FORMATS]).default("csv"))
    .addOption(new Option("--only <which>", "only rows that are safe to send to").choices(["safe"]))
    .option(
      "--status <list>",
      "only rows with these statuses, such as valid,risky",
      oneOrMore(RESULT_STATUSES),
    )
    .option(
      "--sub-status <list>",
      "only rows with these sub-statuses, such as catch_all,role_based",
      oneOrMore(ALL_SUB_STATUSES),
    )
    .option("--min-score <score>", "only rows with this score and above, 0 to 100", score)
    .option("--max-score <score>", "only rows with this score and below, 0 to 100", score)
    .option("--provider <name>", "only rows at this mail provider, such as google")
    .option("--domain <domain>", "only rows at this domain")
    .option("--search <text>", "only rows whose email contains this text")
    .addOption(
      new Option("--sort <order>", "order of the rows (default: as in the file)").choices([...RESULT_SORTS]),
    )
    .option(
      "--columns <list>",
      "our columns, in this order; with email, that one only of your own",
      oneOrMore(["email", ...RESULT_COLUMNS]),
    )
    .option("--excel", "CSV for Excel: with a byte order mark");
}

type ListFlags = ServiceOptions & { status?: JobStatus; skip: number; limit: number; json?: true };

function addList(job: Command): void {
  const list = job
    .command("list")
    .summary("list jobs, newest first")
    .description("List the jobs of the account, newest first.")
    .addOption(new Option("--status <status>", "only jobs with this status").choices([...JOB_STATUSES]))
    .option("--limit <count>", "number of jobs, at most 100", wholeNumber, 20)
    .option("--skip <count>", "number of newest jobs to skip", wholeNumber, 0)
    .option("--json", "print one JSON object per line, as returned by the API");
  addServiceOptions(list)
    .addHelpText("after", EXIT_CODES)
    .action((options: ListFlags) =>
      withService(options, async ({ client }, signal) => {
        const { items, total } = await client.jobs.list(options, { signal });
        for (const item of items) print(item, options.json, jobLine);
        const last = options.skip + items.length;
        if (last < total) process.stderr.write(`${last} of ${total} jobs; next page: --skip ${last}\n`);
        if (total === 0) process.stderr.write("no jobs yet; start one with: mailvet job run people.csv\n");
      }),
    );
}

function addShow(job: Command): void {
  const show = job
    .command("show")
    .summary("show a job")
    .description("Show status, progress and result counts of a job.")
    .argument("<id>", "job ID")
    .option("--wait", "wait until the job has finished, showing its progress")
    .option("--json", "print the job as JSON, as returned by the API");
  addServiceOptions(show)
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: ServiceOptions & { wait?: true; json?: true }) =>
      withService(options, async (service, signal) => {
        const record = options.wait
          ? await followJob(service, id, signal)
          : await service.client.jobs.get(id, { signal });
        print(record, options.json, jobCard);
        if (options.wait && record.status !== "completed") throw jobFailure(record);
      }),
    );
}

const TRANSITIONS = [
  ["cancel", "cancel a job", "Cancel a job. Its results so far are kept; unused credits are returned."],
  ["pause", "pause a job", "Pause a job. Checks in progress finish; no new ones start."],
  ["resume", "resume a paused job", "Resume a paused job."],
  [
    "finish",
    "finish a job now",
    "Complete a job with the results it has, and wait for its end. Emails that were not checked are unknown and not charged.",
  ],
] as const;

function addTransition(
  job: Command,
  name: (typeof TRANSITIONS)[number][0],
  summary: string,
  description: string,
): void {
  const transition = job.command(name).summary(summary).description(description).argument("<id>", "job ID");
  addServiceOptions(transition.option("--json", "print the job as JSON, as returned by the API"))
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: ServiceOptions & { json?: true }) =>
      withService(options, async (service, signal) => {
        const record = await service.client.jobs[name](id, { signal });
        const isOver = name !== "finish" || record.phase === "done";
        print(isOver ? record : await followJob(service, id, signal), options.json, jobLine);
      }),
    );
}

function addRecheck(job: Command): void {
  const recheck = job
    .command("recheck")
    .summary("ask again for results of a completed job")
    .description(
      "Ask again for results of a completed job. Costs one credit per email; unknown results of the last 24 hours are free.",
    )
    .argument("<id>", "job ID")
    .addOption(
      new Option("--which <results>", "results to ask again for")
        .choices(["unknown", "risky", "all"])
        .default("unknown"),
    )
    .option("--wait", "wait until the job has finished, showing its progress")
    .option("--json", "print the job as JSON, as returned by the API");
  type Flags = ServiceOptions & { which: "unknown" | "risky" | "all"; wait?: true; json?: true };
  addServiceOptions(recheck)
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: Flags) =>
      withService(options, async (service, signal) => {
        printPlace(service);
        const started = await service.client.jobs.recheck(id, { which: options.which }, { signal });
        const record = options.wait ? await followJob(service, id, signal) : started;
        print(record, options.json, options.wait ? jobCard : jobLine);
        if (options.wait && record.status !== "completed") throw jobFailure(record);
      }),
    );
}

function addDelete(job: Command): void {
  const erase = job
    .command("delete")
    .summary("delete the file and results of a job")
    .description("Permanently delete the file and results of a job at the service.")
    .argument("<id>", "job ID")
    .option("--yes", "confirm the deletion");
  addServiceOptions(erase)
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: ServiceOptions & { yes?: true }) =>
      withService(options, async ({ client }, signal) => {
        if (!options.yes)
          throw badUsage("this permanently deletes the file and results; add --yes to confirm");
        await client.jobs.delete(id, { signal });
        process.stderr.write(`job ${id} deleted\n`);
      }),
    );
}

export async function withService(
  options: ServiceOptions,
  work: (service: RemoteService, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const service = requireService(options);
  using interruption = listenForInterruption();
  try {
    await work(service, interruption.signal);
  } catch (error) {
    throw service.explain(error);
  }
}

export function print<Item>(
  item: Item,
  json: true | undefined,
  view: (item: Item, paint: Paint) => string,
): void {
  process.stdout.write(`${json ? JSON.stringify(item) : view(item, paintFor(process.stdout))}\n`);
}

function oneOrMore(words: readonly string[]) {
  return (text: string): string[] => {
    const given = text.split(",");
    const unknown = given.find((word) => !words.includes(word));
    if (unknown !== undefined)
      throw new InvalidArgumentError(`"${unknown}" is none of: ${words.filter(Boolean).join(", ")}.`);
    return given;
  };
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}

function score(text: string): number {
  const number = wholeNumber(text);
  if (number > 100) throw new InvalidArgumentError("Expected a score from 0 to 100.");
  return number;
}
