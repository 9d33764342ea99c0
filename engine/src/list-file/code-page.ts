/**
 * Text that is neither UTF-8 nor UTF-16 is in one of the old code pages. Nothing in it says which, so it is guessed
 * by the lines that are not ASCII; windows-1252 it is when no guess is clearly better.
 *
 * A wrong guess garbles names. Addresses are ASCII in all of these, or nearly always.
 */

// What TextDecoder reads and lists are found in.
const LATIN_PAGES = "windows-1252 windows-1250 windows-1254 windows-1257 windows-1258 iso-8859-2".split(" ");
const OTHER_PAGES =
  "windows-1251 koi8-r koi8-u windows-1253 windows-1255 windows-1256 windows-874 shift_jis euc-jp gb18030 big5 euc-kr".split(
    " ",
  );
const USUAL = "windows-1252";
/** How much better than the usual one a guess must be, and on how many letters beyond ASCII it must stand. */
const CLEARLY_BETTER = 1.3;
const TELLING_LATIN = 8;
const TELLING_OTHER = 4;
const SAMPLE_BYTES = 8 * 1024;

/** A label that TextDecoder knows. */
export async function guessCodePage(head: Uint8Array): Promise<string> {
  const sample = linesBeyondAscii(head);
  const pages = pagesFor(sample);
  if (pages.length === 1) return USUAL;
  const { chardet } = await import("jschardet"); // large, and seldom needed
  const guesses = chardet
    .detectAll(sample, { ignoreThreshold: true })
    .map(({ encoding, confidence }) => ({ page: pageNamed(encoding), confidence }))
    .filter(({ page }) => pages.includes(page));
  const usual = guesses.find(({ page }) => page === USUAL)?.confidence ?? 0;
  const best = guesses.find(({ page }) => canRead(head, page));
  return best !== undefined && best.confidence > CLEARLY_BETTER * usual ? best.page : USUAL;
}

/** The rest of a long list says nothing about the language. */
function linesBeyondAscii(head: Uint8Array): Buffer {
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
 * Judged by the words that are not all ASCII: of `Müller` one letter is not, of `Иван` none is. Microsoft's pages
 * have letters between 0x80 and 0x9f, ISO's have not.
 */
function pagesFor(sample: Buffer): readonly string[] {
  const words = sample.toString("latin1").match(/[A-Za-z\x80-\xff]+/g) ?? [];
  const letters = words.filter((word) => /[\x80-\xff]/.test(word)).join("");
  const beyond = letters.replace(/[A-Za-z]/g, "");
  if (beyond.length >= TELLING_OTHER && beyond.length >= letters.length / 2) return OTHER_PAGES;
  if (beyond.length < TELLING_LATIN) return [USUAL];
  return /[\x80-\x9f]/.test(beyond) ? LATIN_PAGES.filter((page) => page.startsWith("windows")) : LATIN_PAGES;
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  cp932: "shift_jis",
  cp949: "euc-kr",
  gb2312: "gb18030",
  "iso-8859-1": "windows-1252",
  "iso-8859-7": "windows-1253",
  "iso-8859-9": "windows-1254",
};

function pageNamed(guess: string | null): string {
  const name = guess?.toLowerCase() ?? "";
  return OTHER_NAMES[name] ?? name;
}

function canRead(head: Uint8Array, page: string): boolean {
  try {
    new TextDecoder(page, { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
