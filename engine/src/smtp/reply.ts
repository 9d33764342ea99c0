/**
 * An SMTP reply as plain data: the code, the enhanced status code where there is one, and the text.
 *
 * Parsing is lenient, because replies also come from logs, bounce messages and user input: lines without a code, a quote
 * of what a host "said", a missing code. Framing on the wire is in reply-reader.ts, the meaning of a reply in meaning.ts.
 */

export type Reply = {
  /** The three-digit code; 0 when the text has none. */
  code: number;
  /** RFC 3463 status such as "5.1.1", only where it stands as one. */
  enhanced?: string;
  /** The text line by line, without codes and enhanced codes. */
  lines: string[];
};

/** Of longer replies the beginning and the last line are kept. */
const MAX_CHARACTERS = 8192;
const MAX_LINES = 64;

const CODE_LINE = /^[2-5]\d\d(?:[ -]|$)/;
// Barracuda puts a token of its own before the inner server's text.
const STATUS_AT_HEAD = /^(?:cuda_nsu )?([245]\.\d{1,3}\.\d{1,3})(?![.\d])[:,;.]?\s*/;
/** How it begins. Most lines begin otherwise. */
const MAYBE_STATUS: ReadonlySet<string | undefined> = new Set(["2", "4", "5", "c"]);
// qmail puts the status in brackets at the end, IronPort puts a number sign before it.
const STATUS_MARKED = /\(#([245]\.\d{1,3}\.\d{1,3})\b|(?:^|\s)#([245]\.\d{1,3}\.\d{1,3})(?![.\d])/;
// Bounce messages say "smtp; 550 ...", log lines "host mx.example.com[192.0.2.1] said: 550 ...".
const DIAGNOSTIC = /^(?:smtp|x-[a-z]+);\s*/i;
const QUOTED = /(?:\b(?:said|replied|refused to talk to me)|:)\s+(?=[245]\d\d[ -])/i;

/** Parses the raw text of one reply, of one line or several. Never throws, reads a bounded prefix only. */
export function parseReply(text: string): Reply {
  let code = 0;
  let enhanced: string | undefined;
  const lines: string[] = [];
  for (const untrimmed of linesOf(unquote(shortened(text, MAX_CHARACTERS)))) {
    const row = untrimmed.trim();
    if (row === "") continue;
    const codeOfLine = CODE_LINE.test(row) ? Number(row.slice(0, 3)) : 0;
    // A continuation line repeats the code; a different number belongs to the text.
    const carriesCode = codeOfLine > 0 && (code === 0 || codeOfLine === code);
    if (carriesCode) code = codeOfLine;
    let words = carriesCode ? row.slice(4).trimStart() : row;

    const status = MAYBE_STATUS.has(words[0]) ? STATUS_AT_HEAD.exec(words) : null;
    if (status) {
      enhanced ??= status[1];
      words = words.slice(status[0].length);
    }
    if (words !== "") lines.push(words);
  }

  enhanced ??= markedStatus(lines);
  return enhanced === undefined ? { code, lines } : { code, enhanced, lines };
}

const LINE_END = /\r\n|\r|\n/;

function linesOf(text: string): string[] {
  if (!LINE_END.test(text)) return [text];
  const lines = text.split(LINE_END);
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES - 1), lines.at(-1)!];
}

/** The beginning, and the last line if there are several. */
export function shortened(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const last = text.trimEnd().lastIndexOf("\n");
  const end = last < 0 ? "" : text.slice(last, last + maxCharacters / 4);
  return text.slice(0, maxCharacters - end.length) + end;
}

function unquote(text: string): string {
  const trimmed = text.trimStart().replace(DIAGNOSTIC, "");
  if (CODE_LINE.test(trimmed)) return trimmed;
  const quoted = QUOTED.exec(trimmed);
  return quoted ? trimmed.slice(quoted.index + quoted[0].length) : trimmed;
}

function markedStatus(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const match = line.includes("#") ? STATUS_MARKED.exec(line) : null;
    if (match) return match[1] ?? match[2];
  }
  return undefined;
}
