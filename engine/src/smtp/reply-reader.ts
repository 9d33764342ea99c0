/**
 * Turns the bytes a mail server sends into whole replies.
 *
 * A reply is one or more lines `ddd-text`, the last one `ddd text`. Strangers decide what arrives here, so
 * everything is bounded: a line, a reply, and what may wait unread. Whatever breaks the form ends the
 * conversation; it is never guessed at.
 */
import { parseReply, type Reply } from "./reply.ts";

const MAX_LINE_BYTES = 4096; // RFC 5321 allows 512; some legal notices do not fit
const MAX_REPLY_LINES = 100;
const MAX_REPLY_BYTES = 32 * 1024;
/** More replies than this cannot be answers to what we asked. */
const MAX_WAITING_REPLIES = 512;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);

export class ReplyReader {
  #unfinished: Buffer = NOTHING;
  #lines: string[] = [];
  #replyBytes = 0;
  #replies: Reply[] = [];
  #broken: string | undefined;

  /** Why nothing more can be read, once the server has broken the form. */
  get violation(): string | undefined {
    return this.#broken;
  }

  /** The next whole reply, if one has arrived. */
  take(): Reply | undefined {
    return this.#replies.shift();
  }

  /** Forgets what has arrived: after STARTTLS nothing said in the clear may count. */
  reset(): void {
    this.#unfinished = NOTHING;
    this.#lines = [];
    this.#replyBytes = 0;
    this.#replies = [];
  }

  feed(chunk: Buffer): void {
    let start = 0;
    while (this.#broken === undefined) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      const line = chunk.subarray(start, end);
      this.#broken = this.#addLine(
        this.#unfinished.length === 0 ? line : Buffer.concat([this.#unfinished, line]),
      );
      this.#unfinished = NOTHING;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (this.#unfinished.length + rest.length > MAX_LINE_BYTES) this.#broken ??= "a line that does not end";
    // A copy, so that a small rest does not keep a large chunk alive.
    if (this.#broken === undefined && rest.length > 0)
      this.#unfinished = Buffer.concat([this.#unfinished, rest]);
  }

  /** Adds one line to the reply under way; what comes back is why it cannot be one. */
  #addLine(bytes: Buffer): string | undefined {
    if (bytes.length > MAX_LINE_BYTES) return "a line that is too long";
    const line = decode(bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes);
    const isLast = /^[2-5]\d\d(?: |$)/.test(line);
    if (!isLast && !/^[2-5]\d\d-/.test(line)) return "a line that is no SMTP reply";
    const [first] = this.#lines;
    if (first !== undefined && !line.startsWith(first.slice(0, 3))) return "a reply with two codes";

    this.#lines.push(line);
    this.#replyBytes += bytes.length;
    if (this.#lines.length > MAX_REPLY_LINES || this.#replyBytes > MAX_REPLY_BYTES)
      return "a reply that is too long";
    if (!isLast) return undefined;
    if (this.#replies.length >= MAX_WAITING_REPLIES) return "more replies than questions";
    this.#replies.push(parseReply(this.#lines.join("\n")));
    this.#lines = [];
    this.#replyBytes = 0;
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** UTF-8 where it is, Latin-1 where it is not: then at least the ASCII words are right. */
function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}
