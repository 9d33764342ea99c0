/** A list as the SDK uploads it: a file on disk, or standard input. */
import { createReadStream, openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { UploadFile } from "@mailvet/sdk";
import { assertReadable, unreadableList } from "../list-file/list-path.ts";

/** A file on disk can be sent again after a failure; a stream from a pipe cannot. */
export async function fileAt(list: string): Promise<UploadFile> {
  if (list === "-") return { name: "standard-input.csv", content: process.stdin };
  await assertReadable(list);
  try {
    const isFile = (await stat(list)).isFile();
    return { name: basename(list), content: isFile ? await openAsBlob(list) : createReadStream(list) };
  } catch (error) {
    throw unreadableList(list, error);
  }
}
