/** Reads a ZIP archive, independently of the library that writes it. */
import { inflateRawSync } from "node:zlib";

/** Texts by name, from the central directory (APPNOTE 4.3.12). */
export function unzip(file: Buffer): Map<string, string> {
  const end = file.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  const files = new Map<string, string>();
  let at = file.readUInt32LE(end + 16);
  for (let entries = file.readUInt16LE(end + 10); entries > 0; entries--) {
    const [size, nameLength, extra, comment] = [20, 28, 30, 32].map((offset) =>
      offset === 20 ? file.readUInt32LE(at + offset) : file.readUInt16LE(at + offset),
    ) as [number, number, number, number];
    const name = file.toString("utf8", at + 46, at + 46 + nameLength);
    const local = file.readUInt32LE(at + 42);
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const content = file.subarray(start, start + size);
    files.set(name, (file.readUInt16LE(at + 10) === 8 ? inflateRawSync(content) : content).toString());
    at += 46 + nameLength + extra + comment;
  }
  return files;
}
