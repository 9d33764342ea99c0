/** mailvet lists: updates the reference lists between releases. */
import { refreshLists } from "@mailvet/engine";
import { type Command, CommanderError } from "commander";
import { defaultListsDirectory, localSettings } from "../local-settings.ts";

type RefreshOptions = { from?: string[]; force?: true };

export function addListsCommand(program: Command): void {
  const lists = program.command("lists").description("update the reference lists between releases");
  lists
    .command("refresh")
    .summary("download current lists of disposable domains")
    .description(
      "Download current lists of disposable domains, verify them, and store them in LISTS_DIR. " +
        "If a list looks wrong, nothing is changed.",
    )
    .option(
      "--from <url...>",
      "http(s) lists to use instead of the public ones, in addition to the packaged list: one name per line, or JSON",
    )
    .option(
      "--force",
      "accept a list with fewer than 1,000 names, or with less than 70 % of its previous size",
    )
    .addHelpText(
      "after",
      `
The lists are stored in LISTS_DIR (default: ${defaultListsDirectory()}).
"mailvet check" reads them from there, and so does a service with the same LISTS_DIR.

Exit codes:
  0    success
  1    a list was rejected or could not be downloaded; nothing was changed
  2    invalid usage`,
    )
    .action(refresh);
}

async function refresh({ from, force }: RefreshOptions): Promise<void> {
  const { listsDirectory: directory } = localSettings();
  for (const url of from ?? []) {
    if (!isHttpUrl(url))
      throw new CommanderError(2, "mailvet.lists", `--from ${url} is not an http or https URL`);
  }
  const result = await refreshLists({
    directory,
    ...(from ? { sources: from.map((url) => ({ url })) } : {}),
    ...(force ? { force } : {}),
  });
  if (result.outcome === "refused") {
    process.stderr.write("mailvet: the lists were not changed:\n");
    for (const { source, reason } of result.problems) process.stderr.write(`  ${source}: ${reason}\n`);
    process.exitCode = 1;
    return;
  }
  const { manifest, added, removed, withheld } = result;
  const count = (number: number) => number.toLocaleString("en");
  process.stdout.write(
    `${count(manifest.names)} disposable domains in ${directory}: ${count(added)} added, ${count(removed)} removed` +
      `${withheld.length > 0 ? `, ${count(withheld.length)} skipped because they are real providers or public suffixes` : ""}\n`,
  );
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}
