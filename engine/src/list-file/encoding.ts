/** Detects the character encoding of a file: BOM, then NULs where UTF-16 has them, UTF-8, or a legacy code page. */
import { isAscii } from "node:buffer";
import { guessCodePage } from "./code-page.ts";
import { ListFileError } from "./list-file-error.ts";

/** A TextDecoder label, or "ascii" as long as no other byte was seen: the rest may be in any encoding. */
export type Encoding = string;

const BOMS: readonly (readonly [bytes: readonly number[], encoding: Encoding | undefined])[] = [
  [[0xff, 0xfe, 0, 0], undefined], // UTF-32, which TextDecoder does not support
  [[0, 0, 0xfe, 0xff], undefined],
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];

/** From the first bytes of a file. `isWhole`: nothing follows them. */
export async function guessEncoding(head: Uint8Array, isWhole: boolean): Promise<Encoding> {
  const bom = BOMS.find(([bytes]) => bytes.every((byte, at) => head[at] === byte));
  if (bom !== undefined) return bom[1] ?? rejectUtf32();
  return utf16ByNuls(head) ?? (isAscii(head) ? "ascii" : guessNonAscii(head, isWhole));
}

/** From the first bytes that are not all ASCII. */
export async function guessNonAscii(bytes: Uint8Array, isWhole: boolean): Promise<Encoding> {
  return isUtf8(bytes, isWhole) ? "utf-8" : guessCodePage(bytes);
}

function rejectUtf32(): never {
  throw new ListFileError("undecodable_file", "The file is UTF-32 text. Save it as UTF-8.");
}

/** Delimiters, line breaks and addresses are ASCII, so in UTF-16 many alternate bytes are NUL. */
function utf16ByNuls(head: Uint8Array): Encoding | undefined {
  const pairs = Math.min(head.length, 4096) >> 1;
  if (pairs === 0) return undefined;
  const nuls = [0, 0];
  for (let at = 0; at < 2 * pairs; at++) if (head[at] === 0) nuls[at & 1]!++;
  const [even, odd] = [nuls[0]! / pairs, nuls[1]! / pairs];
  if (odd > 0.3 && even < 0.02) return "utf-16le";
  if (even > 0.3 && odd < 0.02) return "utf-16be";
  if (even > 0.3 && odd > 0.3 && even + odd > 1.2) rejectUtf32();
  return undefined;
}

function isUtf8(head: Uint8Array, isWhole: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: !isWhole });
    return true;
  } catch {
    return isMostlyUtf8(head);
  }
}

/**
 * UTF-8 with a few invalid sequences is still treated as UTF-8, and rejected where it breaks. In any other encoding
 * it would be accepted, and every non-ASCII address silently changed.
 */
function isMostlyUtf8(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  let broken = 0;
  let whole = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken++;
    else if (code >= 0x80) whole++;
  }
  return whole >= 2 * broken;
}
