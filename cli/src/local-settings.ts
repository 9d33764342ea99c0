/** Engine settings for the command line: from the environment, with a default directory for refreshed lists. */
import { homedir } from "node:os";
import { join } from "node:path";
import { type EngineSettings, readEngineSettings, settingsFrom } from "@mailvet/engine";

export function localSettings(): EngineSettings & { listsDirectory: string } {
  const read = settingsFrom(process.env);
  const settings = readEngineSettings(read);
  read.reportProblems();
  return { ...settings, listsDirectory: settings.listsDirectory ?? defaultListsDirectory() };
}

/** Used when LISTS_DIR is not set (XDG base directory). */
export function defaultListsDirectory(): string {
  return join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "mailvet", "lists");
}
