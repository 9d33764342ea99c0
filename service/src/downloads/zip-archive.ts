/** A ZIP archive whose entries are read one after the other as it is written, in flat memory (yazl). */
import { Readable } from "node:stream";
import { ZipFile } from "yazl";

export type ZipEntry = { name: string; content: AsyncIterable<string | Buffer> | Buffer };

/**
 * Level 3 reaches three quarters of the best compression in a fraction of the time. The date is the earliest that DOS
 * can represent: the file does not reveal when it was made.
 */
const ENTRY = { compressionLevel: 3, mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** A generator, because yazl reads its sources at once, and a download may be opened without being read (HEAD). */
export async function* zipArchive(entries: readonly ZipEntry[]): AsyncGenerator<Buffer> {
  const archive = new ZipFile();
  const outputStream = archive.outputStream as Readable;
  let source: Readable | undefined;
  archive.on("error", (error) => outputStream.destroy(error));
  outputStream.on("close", () => source?.destroy());
  for (const { name, content } of entries) {
    if (Buffer.isBuffer(content)) {
      archive.addBuffer(content, name, ENTRY);
      continue;
    }
    archive.addReadStreamLazy(name, ENTRY, (open) => {
      source = Readable.from(content, { objectMode: false });
      // yazl pipes without forwarding errors: one in the source ends the output, and a reader that leaves ends the source.
      source.on("error", (error) => outputStream.destroy(error));
      open(null, source);
    });
  }
  archive.end();
  yield* outputStream;
}
