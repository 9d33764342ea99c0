/** mailvet job: whole files at a service. What each of its commands takes, and the short ones themselves. */
import type { Job } from "@mailvet/contract";
import { DOWNLOAD_FORMATS, JOB_STATUSES, type JobStatus, STATUSES } from "@mailvet/contract/words";
import { type Command, InvalidArgumentError, Option } from "commander";
import { listenForInterruption } from "../interruption.ts";
import { jobCard, jobLine } from "../output/job-view.ts";
import { paintFor } from "../output/terminal.ts";
import {
  addServiceOptions,
  badUsage,
  type Service,
  type ServiceOptions,
  serviceFrom,
} from "../remote/service.ts";
import { type DownloadOptions, downloadJob } from "./job-download.ts";
import { endedBadly, followJob, type RunOptions, runJob } from "./job-run.ts";

const EXIT_CODES = `
Exit code 0 when it ran, whatever the verdicts; 1 when the service refused or could not be reached, or the job failed
or was cancelled; 2 when the command could not be understood; 130 when it was interrupted.`;

export function addJobCommand(program: Command): void {
  const job = program
    .command("job")
    .summary("whole files at a service: run, list, show, cancel, download …")
    .description("Check whole files of emails at a Mailvet service, and fetch what came of it.");
  addRun(job);
  addDownload(job);
  addList(job);
  addShow(job);
  for (const [name, summary, description] of MOVES) addMove(job, name, summary, description);
  addDelete(job);
}

function addRun(job: Command): void {
  const run = job
    .command("run")
    .summary("check a file from the upload to the results")
    .description(
      "Upload a file, say what is in it and what it costs, begin, show how far it is, and fetch the results: your " +
        "own rows and columns in their order, with the verdict of each appended.",
    )
    .argument("<list>", "a CSV file (also TSV, semicolons, pipes, or .gz of them); - is standard input")
    .option("-c, --column <name>", "the column with the emails; found by its cells unless told")
    .option("--json", "print the job's record on standard output when it has ended");
  addResultOptions(run, "beside the list as NAME-results.csv unless told; - is standard output");
  addServiceOptions(run)
    .addHelpText(
      "after",
      `
Each different email costs a credit, a repeated one nothing. The credits are held when it begins; those of a job that
is cancelled or fails come back as far as they were not used.

Ctrl-C leaves the job running at the service, and says how to come back to it.

Examples:
  export MAILVET_SERVICE=https://mailvet.example.com MAILVET_API_KEY=…
  mailvet job run people.csv
  mailvet job run people.csv --column "E-mail" --out good.csv --status valid
${EXIT_CODES}`,
    )
    .action((list: string, options: ServiceOptions & RunOptions) =>
      atService(options, (service, signal) => runJob(service, list, options, signal)),
    );
}

function addDownload(job: Command): void {
  const download = job
    .command("download")
    .summary("fetch the results of a job that has ended")
    .description("Fetch the rows of a job that has ended, with their verdicts.")
    .argument("<id>", "the job's id");
  addResultOptions(download, "NAME-results.csv in this folder unless told; - is standard output");
  addServiceOptions(download)
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: ServiceOptions & DownloadOptions) =>
      atService(options, (service, signal) => downloadJob(service, id, options, signal)),
    );
}

function addResultOptions(command: Command, where: string): void {
  command
    .option("-o, --out <file>", `where the results go: ${where}`)
    .option("--force", "replace that file when it is there already")
    .addOption(
      new Option("--format <format>", "what kind of file").choices([...DOWNLOAD_FORMATS]).default("csv"),
    )
    .addOption(new Option("--status <status>", "only rows with this verdict").choices([...STATUSES]));
}

type ListFlags = ServiceOptions & { status?: JobStatus; skip: number; limit: number; json?: true };

function addList(job: Command): void {
  const list = job
    .command("list")
    .summary("the account's jobs, newest first")
    .description("List the account's jobs, newest first.")
    .addOption(new Option("--status <status>", "only those in this state").choices([...JOB_STATUSES]))
    .option("--limit <count>", "how many, at most 100", wholeNumber, 20)
    .option("--skip <count>", "how many of the newest to leave out", wholeNumber, 0)
    .option("--json", "print one job a line, as the API returns it");
  addServiceOptions(list)
    .addHelpText("after", EXIT_CODES)
    .action((options: ListFlags) =>
      atService(options, async ({ client }, signal) => {
        const { items, total } = await client.jobs.list(options, { signal });
        for (const item of items) print(item, options.json, jobLine);
        const last = options.skip + items.length;
        if (last < total) process.stderr.write(`${last} of ${total} jobs; the next: --skip ${last}\n`);
        if (total === 0) process.stderr.write("no jobs yet; begin one with: mailvet job run people.csv\n");
      }),
    );
}

function addShow(job: Command): void {
  const show = job
    .command("show")
    .summary("how far a job is")
    .description("Show how far a job is, and what was found so far.")
    .argument("<id>", "the job's id")
    .option("--wait", "stay until it has ended, and show how far it is")
    .option("--json", "print the job as the API returns it");
  addServiceOptions(show)
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: ServiceOptions & { wait?: true; json?: true }) =>
      atService(options, async (service, signal) => {
        const record = options.wait
          ? await followJob(service, id, signal)
          : await service.client.jobs.get(id, { signal });
        print(record, options.json, jobCard);
        if (options.wait && record.status !== "completed") throw endedBadly(record);
      }),
    );
}

const MOVES = [
  [
    "cancel",
    "end a job for good",
    "End a job for good. What it has found stays; credits it did not use come back.",
  ],
  ["pause", "hold a job", "Hold a job: what is under way is finished, nothing new is begun."],
  ["resume", "go on with a job that was paused", "Go on with a job that was paused."],
] as const;

function addMove(job: Command, name: (typeof MOVES)[number][0], summary: string, description: string): void {
  const move = job.command(name).summary(summary).description(description).argument("<id>", "the job's id");
  addServiceOptions(move.option("--json", "print the job as the API returns it"))
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: ServiceOptions & { json?: true }) =>
      atService(options, async ({ client }, signal) =>
        print(await client.jobs[name](id, { signal }), options.json, jobLine),
      ),
    );
}

function addDelete(job: Command): void {
  const erase = job
    .command("delete")
    .summary("erase a job's file and results")
    .description("Erase the file and the results of a job at the service, for good.")
    .argument("<id>", "the job's id")
    .option("--yes", "yes, for good");
  addServiceOptions(erase)
    .addHelpText("after", EXIT_CODES)
    .action((id: string, options: ServiceOptions & { yes?: true }) =>
      atService(options, async ({ client }, signal) => {
        if (!options.yes) throw badUsage("its file and results are gone for good then; add --yes to do it");
        await client.jobs.delete(id, { signal });
        process.stderr.write(`${id} is erased\n`);
      }),
    );
}

async function atService(
  options: ServiceOptions,
  work: (service: Service, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const service = serviceFrom(options);
  if (!service) throw badUsage("name the service with --service URL or MAILVET_SERVICE");
  using interruption = listenForInterruption();
  try {
    await work(service, interruption.signal);
  } catch (error) {
    throw service.explain(error);
  }
}

function print(job: Job, json: true | undefined, view: typeof jobLine): void {
  process.stdout.write(`${json ? JSON.stringify(job) : view(job, paintFor(process.stdout))}\n`);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
