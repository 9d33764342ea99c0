/**
 * Splits the byte stream of a mail server into complete replies.
 *
 * A reply is one or more lines `ddd-text`, the last one `ddd text` (RFC 5321, 4.2). The input is untrusted, so line,
 * reply and unread replies are bounded. A violation of the format ends reading; nothing is guessed.
 *
 * Framing only: codes and text are parsed in reply.ts, sockets and timeouts are in connection.ts.
 */
import { parseReply, type Reply } from "../reply.ts";

/** RFC 5321 allows lines of 512 bytes; some replies quote legal notices. */
const MAX_REPLY_BYTES = 64 * 1024;
/** The first ones, and the last. */
const MAX_KEPT_LINES = 64;
/** More unread replies than a batch has commands. */
const MAX_WAITING_REPLIES = 512;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const HYPHEN = 0x2d;
const ZERO = 0x30;
const EMPTY = Buffer.alloc(0);

export class ReplyReader {
  #partialLine: Buffer = EMPTY;
  #lines: string[] = [];
  #replyBytes = 0;
  #replies: Reply[] = [];
  #violation: string | undefined;

  /** How the server violated the reply format; nothing is read after that. */
  get violation(): string | undefined {
    return this.#violation;
  }

  /** The next complete reply, if one has arrived. */
  take(): Reply | undefined {
    return this.#replies.shift();
  }

  /** Discards everything received: after STARTTLS nothing received in plain text may count. */
  reset(): void {
    this.#partialLine = EMPTY;
    this.#lines = [];
    this.#replyBytes = 0;
    this.#replies = [];
  }

  feed(chunk: Buffer): void {
    let start = 0;
    while (this.#violation === undefined) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      if (this.#partialLine.length === 0) {
        this.#violation = this.#addLine(chunk, start, end);
      } else {
        const line = Buffer.concat([this.#partialLine, chunk.subarray(start, end)]);
        this.#violation = this.#addLine(line, 0, line.length);
        this.#partialLine = EMPTY;
      }
      start = end + 1;
    }
    if (start === chunk.length) return;
    const rest = chunk.subarray(start);
    if (this.#partialLine.length + rest.length > MAX_REPLY_BYTES) this.#violation ??= "line without end";
    // A copy: the chunk is overwritten by other connections (connect.ts).
    if (this.#violation === undefined) this.#partialLine = Buffer.concat([this.#partialLine, rest]);
  }

  /** Adds one line to the current reply; returns the violation, if it is one. */
  #addLine(bytes: Buffer, start: number, end: number): string | undefined {
    const size = end - start;
    const line = decode(bytes, start, size > 0 && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
    if (!startsWithCode(line)) return "not an SMTP reply line";
    const isLast = line.length === 3 || line.charCodeAt(3) === SPACE;
    if (!isLast && line.charCodeAt(3) !== HYPHEN) return "not an SMTP reply line";
    const [first] = this.#lines;
    if (first !== undefined && !line.startsWith(first.slice(0, 3))) return "reply with two codes";

    if (this.#lines.length === MAX_KEPT_LINES) this.#lines.pop();
    this.#lines.push(line);
    this.#replyBytes += size;
    if (this.#replyBytes > MAX_REPLY_BYTES) return "reply too long";
    if (!isLast) return undefined;
    if (this.#replies.length >= MAX_WAITING_REPLIES) return "more replies than commands";
    this.#replies.push(first === undefined ? singleLineReply(line) : parseReply(this.#lines.join("\n")));
    this.#lines = [];
    this.#replyBytes = 0;
    return undefined;
  }
}

/** Most lines are one of a few acceptances, such as "250 2.1.5 Ok". */
const acceptances = new Map<string, Reply>();
const MAX_ACCEPTANCES = 256;
const MAX_ACCEPTANCE_CHARACTERS = 64;

function singleLineReply(line: string): Reply {
  const known = acceptances.get(line);
  if (known) return known;
  const reply = parseReply(line);
  if (reply.code >= 300 || line.length > MAX_ACCEPTANCE_CHARACTERS) return reply;
  if (acceptances.size >= MAX_ACCEPTANCES) acceptances.clear();
  acceptances.set(line, reply);
  return reply;
}

/** Three digits, from 200 to 599. */
function startsWithCode(line: string): boolean {
  const severity = line.charCodeAt(0) - ZERO;
  return severity >= 2 && severity <= 5 && isDigit(line.charCodeAt(1)) && isDigit(line.charCodeAt(2));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const NOT_ASCII = /[^\0-\x7f]/;

/** UTF-8 where valid, otherwise Latin-1, so that at least the ASCII words are right. */
function decode(bytes: Buffer, start: number, end: number): string {
  const latin1 = bytes.toString("latin1", start, end);
  if (!NOT_ASCII.test(latin1)) return latin1;
  try {
    return utf8.decode(bytes.subarray(start, end));
  } catch {
    return latin1;
  }
}
