/**
 * Guesses the legacy code page of text that is neither UTF-8 nor UTF-16, from its lines with non-ASCII bytes.
 * windows-1252 is used when no guess is clearly better.
 *
 * A wrong guess garbles names. Addresses are ASCII in all of these code pages, or nearly always.
 */

// Those that TextDecoder supports and that lists are found in.
const LATIN_PAGES = "windows-1252 windows-1250 windows-1254 windows-1257 windows-1258 iso-8859-2".split(" ");
const OTHER_PAGES =
  "windows-1251 koi8-r koi8-u windows-1253 windows-1255 windows-1256 windows-874 shift_jis euc-jp gb18030 big5 euc-kr".split(
    " ",
  );
const DEFAULT_PAGE = "windows-1252";
/** How much better than the default a guess must be, and how many non-ASCII letters it must rest on. */
const MIN_CONFIDENCE_RATIO = 1.3;
const MIN_LETTERS_LATIN = 8;
const MIN_LETTERS_OTHER = 4;
const SAMPLE_BYTES = 8 * 1024;

/** Returns a label that TextDecoder knows. */
export async function guessCodePage(head: Uint8Array): Promise<string> {
  const sample = nonAsciiLines(head);
  const pages = candidatePages(sample);
  if (pages.length === 1) return DEFAULT_PAGE;
  const { chardet } = await import("jschardet"); // large, and seldom needed
  const guesses = chardet
    .detectAll(sample, { ignoreThreshold: true })
    .map(({ encoding, confidence }) => ({ page: pageLabel(encoding), confidence }))
    .filter(({ page }) => pages.includes(page));
  const defaultConfidence = guesses.find(({ page }) => page === DEFAULT_PAGE)?.confidence ?? 0;
  const best = guesses.find(({ page }) => canDecode(head, page));
  return best !== undefined && best.confidence > MIN_CONFIDENCE_RATIO * defaultConfidence
    ? best.page
    : DEFAULT_PAGE;
}

/** ASCII lines say nothing about the encoding. */
function nonAsciiLines(head: Uint8Array): Buffer {
  const sample = Buffer.alloc(SAMPLE_BYTES);
  let filled = 0;
  for (let start = 0; start < head.length && filled < SAMPLE_BYTES; ) {
    const lineFeed = head.indexOf(0x0a, start);
    const end = lineFeed === -1 ? head.length : lineFeed + 1;
    const line = head.subarray(start, Math.min(end, start + SAMPLE_BYTES - filled));
    if (line.some((byte) => byte >= 0x80)) {
      sample.set(line, filled);
      filled += line.length;
    }
    start = end;
  }
  return sample.subarray(0, filled);
}

/**
 * By the words that contain non-ASCII letters: in `Müller` one letter is non-ASCII, in `Иван` all are. Microsoft's
 * code pages have letters between 0x80 and 0x9f, ISO's have not.
 */
function candidatePages(sample: Buffer): readonly string[] {
  const words = sample.toString("latin1").match(/[A-Za-z\x80-\xff]+/g) ?? [];
  const letters = words.filter((word) => /[\x80-\xff]/.test(word)).join("");
  const nonAscii = letters.replace(/[A-Za-z]/g, "");
  if (nonAscii.length >= MIN_LETTERS_OTHER && nonAscii.length >= letters.length / 2) return OTHER_PAGES;
  if (nonAscii.length < MIN_LETTERS_LATIN) return [DEFAULT_PAGE];
  return /[\x80-\x9f]/.test(nonAscii)
    ? LATIN_PAGES.filter((page) => page.startsWith("windows"))
    : LATIN_PAGES;
}

const PAGE_ALIASES: Readonly<Record<string, string>> = {
  cp932: "shift_jis",
  cp949: "euc-kr",
  gb2312: "gb18030",
  "iso-8859-1": "windows-1252",
  "iso-8859-7": "windows-1253",
  "iso-8859-9": "windows-1254",
};

function pageLabel(guess: string | null): string {
  const name = guess?.toLowerCase() ?? "";
  return PAGE_ALIASES[name] ?? name;
}

/** Whether the bytes are valid in this code page; the last character may be incomplete. */
export function canDecode(bytes: Uint8Array, page: string): boolean {
  try {
    new TextDecoder(page, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
