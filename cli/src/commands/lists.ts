/** mailvet lists: fresher reference lists without waiting for a release. */
import { refreshLists } from "@mailvet/engine";
import { type Command, CommanderError } from "commander";
import { defaultListsDirectory, localSettings } from "../local-settings.ts";

type RefreshFlags = { from?: string[]; force?: true };

export function addListsCommand(program: Command): void {
  const lists = program
    .command("lists")
    .description("keep the reference lists fresh without waiting for a release");
  lists
    .command("refresh")
    .summary("download fresh lists of throw-away domains")
    .description(
      "Download fresh lists of throw-away domains, check them, and keep them in LISTS_DIR. " +
        "Nothing changes when a list looks wrong.",
    )
    .option(
      "--from <url...>",
      "http(s) lists to take instead of the public ones, in addition to the packaged list: names, one a line, or JSON",
    )
    .option(
      "--force",
      "accept a list with fewer than 1,000 names, or with less than 70 % of what it had last time",
    )
    .addHelpText(
      "after",
      `
The lists are kept in LISTS_DIR, or in ${defaultListsDirectory()} without it;
"mailvet check" uses them from there, and so does a service that is given the same LISTS_DIR.`,
    )
    .action(refresh);
}

async function refresh({ from, force }: RefreshFlags): Promise<void> {
  const { listsDirectory: directory } = localSettings();
  for (const url of from ?? []) {
    if (!isWebAddress(url))
      throw new CommanderError(2, "mailvet.lists", `--from ${url} is not an http or https URL`);
  }
  const result = await refreshLists({
    directory,
    ...(from ? { sources: from.map((url) => ({ url })) } : {}),
    ...(force ? { force } : {}),
  });
  if (result.outcome === "refused") {
    process.stderr.write("mailvet: the lists stay as they are:\n");
    for (const { source, reason } of result.problems) process.stderr.write(`  ${source}: ${reason}\n`);
    process.exitCode = 1;
    return;
  }
  const { manifest, added, removed, withheld } = result;
  const count = (number: number) => number.toLocaleString("en");
  process.stdout.write(
    `${count(manifest.names)} throw-away domains in ${directory}: ${count(added)} new, ${count(removed)} gone` +
      `${withheld.length > 0 ? `, ${count(withheld.length)} left out because they are real providers or suffixes` : ""}\n`,
  );
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}
