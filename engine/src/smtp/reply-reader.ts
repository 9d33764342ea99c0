/**
 * Splits the byte stream of a mail server into complete replies.
 *
 * A reply is one or more lines `ddd-text`, the last one `ddd text` (RFC 5321, 4.2). The input is untrusted, so line,
 * reply and unread replies are bounded. A violation of the format ends reading; nothing is guessed.
 *
 * Framing only: codes and text are parsed in reply.ts, sockets and timeouts are in connection.ts.
 */
import { parseReply, type Reply } from "./reply.ts";

const MAX_LINE_BYTES = 4096; // RFC 5321 allows 512; some banners with legal notices are longer
const MAX_REPLY_LINES = 100;
const MAX_REPLY_BYTES = 32 * 1024;
/** More unread replies than a batch has commands. */
const MAX_WAITING_REPLIES = 512;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
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
      const line = chunk.subarray(start, end);
      this.#violation = this.#addLine(
        this.#partialLine.length === 0 ? line : Buffer.concat([this.#partialLine, line]),
      );
      this.#partialLine = EMPTY;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (this.#partialLine.length + rest.length > MAX_LINE_BYTES) this.#violation ??= "line without end";
    // A copy, so that a few bytes do not keep a large chunk alive.
    if (this.#violation === undefined && rest.length > 0)
      this.#partialLine = Buffer.concat([this.#partialLine, rest]);
  }

  /** Adds one line to the current reply; returns the violation, if it is one. */
  #addLine(bytes: Buffer): string | undefined {
    if (bytes.length > MAX_LINE_BYTES) return "line too long";
    const line = decode(bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes);
    const isLast = /^[2-5]\d\d(?: |$)/.test(line);
    if (!isLast && !/^[2-5]\d\d-/.test(line)) return "not an SMTP reply line";
    const [first] = this.#lines;
    if (first !== undefined && !line.startsWith(first.slice(0, 3))) return "reply with two codes";

    this.#lines.push(line);
    this.#replyBytes += bytes.length;
    if (this.#lines.length > MAX_REPLY_LINES || this.#replyBytes > MAX_REPLY_BYTES) return "reply too long";
    if (!isLast) return undefined;
    if (this.#replies.length >= MAX_WAITING_REPLIES) return "more replies than commands";
    this.#replies.push(parseReply(this.#lines.join("\n")));
    this.#lines = [];
    this.#replyBytes = 0;
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** UTF-8 where valid, otherwise Latin-1, so that at least the ASCII words are right. */
function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}
