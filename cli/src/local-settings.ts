/** The engine's settings as the command line takes them: from the environment, with a home for refreshed lists. */
import { homedir } from "node:os";
import { join } from "node:path";
import { type EngineSettings, readEngineSettings, settingsFrom } from "@mailvet/engine";

export function localSettings(): EngineSettings & { listsDirectory: string } {
  const read = settingsFrom(process.env);
  const settings = readEngineSettings(read);
  read.reportProblems();
  return { ...settings, listsDirectory: settings.listsDirectory ?? defaultListsDirectory() };
}

/** Where lists are kept when nobody says otherwise. */
export function defaultListsDirectory(): string {
  return join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "mailvet", "lists");
}
