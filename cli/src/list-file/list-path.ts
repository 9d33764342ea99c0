/** Whether the list given on the command line can be read, asked before anything is written or sent. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { CommanderError } from "commander";
import { systemErrorText } from "../output/system-failure.ts";

/** "-" is standard input. */
export async function assertReadable(list: string): Promise<void> {
  if (list === "-") return;
  try {
    if ((await stat(list)).isDirectory()) throw new Error("it is a directory");
    await access(list, constants.R_OK);
  } catch (error) {
    throw unreadableList(list, error);
  }
}

export function unreadableList(list: string, error: unknown): CommanderError {
  return new CommanderError(2, "mailvet.list", `cannot read the list ${list}: ${systemErrorText(error)}`);
}
