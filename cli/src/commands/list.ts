/** mailvet list: saved lists, which the service keeps and checks again on a schedule. */
import type { ListChange, SavedList } from "@mailvet/contract";
import { LIST_SCHEDULES, recheckDays } from "@mailvet/contract/words";
import { type Command, Option } from "commander";
import { jobCard, jobLine } from "../output/job-view.ts";
import { type Paint, printable } from "../output/terminal.ts";
import {
  addServiceOptions,
  badUsage,
  printPlace,
  type RemoteService,
  type ServiceOptions,
} from "../remote/service.ts";
import { EXIT_CODES, print, wholeNumber, withService } from "./job.ts";
import { followJob, jobFailure } from "./job-run.ts";

type Flags = ServiceOptions & { json?: true };
type SettingFlags = Flags & {
  name?: string;
  tag?: string[];
  schedule?: (typeof SCHEDULES)[number];
  staleAfter?: number;
};

const SCHEDULES = [...LIST_SCHEDULES, "never"] as const;

export function addListCommand(program: Command): void {
  const list = program
    .command("list")
    .summary("lists that a service keeps and checks again: save, all, show, changes, set, recheck, delete")
    .description("Lists that a Mailvet service keeps, and whose results it checks again on a schedule.");
  const add = (name: string, description: string, argument?: readonly [string, string]) => {
    const command = list.command(name).description(description);
    if (argument) command.argument(...argument);
    return addServiceOptions(command).addHelpText("after", EXIT_CODES);
  };

  addSettings(add("save", "Keep a completed job as a list.", ["<job>", "job ID"])).action(
    (jobId: string, options: SettingFlags) =>
      withService(options, async (service, signal) => {
        const { client } = service;
        const name = options.name ?? (await client.jobs.get(jobId, { signal })).filename;
        const saved = await client.lists.create({ job_id: jobId, name, ...settingsOf(options) }, { signal });
        print(saved, options.json, listCard);
        await printCost(service, saved, signal);
      }),
  );

  withJson(add("all", "Show all lists, newest first.")).action((options: Flags) =>
    withService(options, async ({ client }, signal) => {
      const all = await client.lists.all({ signal });
      for (const saved of all) print(saved, options.json, listLine);
      if (all.length === 0) process.stderr.write("no lists yet; keep a job with: mailvet list save JOB\n");
    }),
  );

  withJson(add("show", "Show a list.", ID)).action((id: string, options: Flags) =>
    withService(options, async ({ client }, signal) =>
      print(await client.lists.get(id, { signal }), options.json, listCard),
    ),
  );

  withJson(add("changes", "Show the emails whose status changed in the last run.", ID)).action(
    (id: string, options: Flags) =>
      withService(options, async ({ client }, signal) => {
        for (const change of await client.lists.changes(id, { signal }))
          print(change, options.json, changeLine);
      }),
  );

  addSettings(add("set", "Change name, tags or schedule of a list.", ID)).action(
    (id: string, options: SettingFlags) =>
      withService(options, async (service, signal) => {
        const { name } = options;
        const changes = { ...(name !== undefined && { name }), ...settingsOf(options) };
        if (Object.keys(changes).length === 0)
          throw badUsage("nothing to change; add --name, --tag, --schedule or --stale-after");
        const saved = await service.client.lists.update(id, changes, { signal });
        print(saved, options.json, listCard);
        if (options.schedule || options.staleAfter) await printCost(service, saved, signal);
      }),
  );

  withJson(add("recheck", "Check all emails of a list again now. Costs one credit per email.", ID))
    .option("--wait", "wait until it has finished, showing its progress")
    .action((id: string, options: Flags & { wait?: true }) =>
      withService(options, async (service, signal) => {
        const { client } = service;
        printPlace(service);
        const { job_id: jobId } = await client.lists.get(id, { signal });
        const started = await client.jobs.recheck(jobId, { which: "all" }, { signal });
        const job = options.wait ? await followJob(service, jobId, signal) : started;
        print(job, options.json, options.wait ? jobCard : jobLine);
        if (options.wait && job.status !== "completed") throw jobFailure(job);
      }),
    );

  add("delete", "Delete a list. Its job expires after the retention of the service.", ID)
    .option("--yes", "confirm the deletion")
    .action((id: string, options: Flags & { yes?: true }) =>
      withService(options, async ({ client }, signal) => {
        if (!options.yes) throw badUsage("this ends the schedule of the list; add --yes to confirm");
        await client.lists.delete(id, { signal });
        process.stderr.write(`list ${id} deleted\n`);
      }),
    );
}

const ID = ["<id>", "list ID"] as const;

function withJson(command: Command): Command {
  return command.option("--json", "print JSON, as returned by the API");
}

function addSettings(command: Command): Command {
  return withJson(command)
    .option("--name <name>", "name of the list (default: that of the file)")
    .option("--tag <tag...>", "tags")
    .addOption(new Option("--schedule <how often>", "when to check stale results again").choices(SCHEDULES))
    .option("--stale-after <days>", "results older than this are stale (default: 7)", wholeNumber);
}

function settingsOf({ tag, schedule, staleAfter }: SettingFlags) {
  return {
    ...(tag && { tags: tag }),
    ...(schedule && { schedule: schedule === "never" ? null : schedule }),
    ...(staleAfter !== undefined && { stale_after_days: staleAfter }),
  };
}

/** A schedule spends credits unasked. */
async function printCost({ client }: RemoteService, list: SavedList, signal: AbortSignal): Promise<void> {
  if (list.schedule === null) return;
  const [{ unique_emails: emails }, { credits }] = await Promise.all([
    client.jobs.get(list.job_id, { signal }),
    client.account({ signal }),
  ]);
  const days = recheckDays(list.schedule, list.stale_after_days);
  const last = Math.floor(credits.balance / Math.max(1, emails)) * days;
  const count = (number: number) => number.toLocaleString("en");
  process.stderr.write(
    `costs about ${count(emails)} credits every ${days} days; ${count(credits.balance)} left: ${count(last)} days\n`,
  );
}

const scheduleOf = ({ schedule }: SavedList) => schedule ?? "never";

function listLine(list: SavedList): string {
  return `${list.id}  ${scheduleOf(list).padEnd(7)}  ${changesOf(list)}  ${printable(list.name)}`;
}

const changesOf = ({ last_run_at, newly_invalid, recovered }: SavedList) =>
  last_run_at === null ? "not run yet" : `${newly_invalid} newly invalid, ${recovered} recovered`;

function listCard(list: SavedList, paint: Paint): string {
  const rows: [string, string | null][] = [
    ["list", list.id],
    ["job", list.job_id],
    ["tags", list.tags.join(", ") || null],
    ["schedule", `${scheduleOf(list)}, what is older than ${list.stale_after_days} days`],
    ["next run", list.next_run_at],
    ["last run", list.last_run_at],
    ["changes", changesOf(list)],
    ["problem", list.last_error],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === null ? [] : [`  ${paint("dim", name.padEnd(9))} ${printable(value)}`],
  );
  return [paint("bold", printable(list.name)), ...lines].join("\n");
}

function changeLine({ email, status, sub_status, previous_status }: ListChange): string {
  return `${previous_status} → ${status}${sub_status ? ` (${sub_status})` : ""}  ${printable(email)}`;
}
