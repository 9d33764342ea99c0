/** A list as the SDK uploads it: a file on disk, or standard input. */
import { createReadStream, openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { UploadFile } from "@mailvet/sdk";
import { CommanderError } from "commander";

/** A file on disk can be sent again after a failure; a stream from a pipe cannot. */
export async function fileAt(list: string): Promise<UploadFile> {
  if (list === "-") return { name: "standard-input.csv", content: process.stdin };
  try {
    const stats = await stat(list);
    if (stats.isDirectory()) throw new Error("it is a directory");
    return {
      name: basename(list),
      content: stats.isFile() ? await openAsBlob(list) : createReadStream(list),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommanderError(2, "mailvet.list", `cannot read the list ${list}: ${why}`);
  }
}
