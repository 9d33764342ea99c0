/**
 * One SMTP conversation from the client's side: send lines, wait for the whole reply.
 *
 * Knows the wire and nothing else. What a reply means is decided in meaning.ts; which lines to send, and
 * when to give up, in session.ts.
 */
import type { Socket } from "node:net";
import { connect as startTls } from "node:tls";
import { abandon } from "./connect-result.ts";
import type { Reply } from "./reply.ts";
import { ReplyReader } from "./reply-reader.ts";

/** What listening can end in. */
export type CommandResult =
  | { kind: "reply"; reply: Reply }
  | { kind: "closed" }
  | { kind: "timeout" }
  | { kind: "garbage"; why: string };

/** The code of a server that is about to hang up (RFC 5321, 3.8). */
export const SERVICE_CLOSING = 421;

/** A server that has said this much to us in one conversation is not answering questions. */
const MAX_HEARD_BYTES = 4 * 1024 * 1024;

export class SmtpConnection {
  #socket: Socket;
  #reader = new ReplyReader();
  #heardBytes = 0;
  #closed = false;
  #unasked: Reply | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  get isOpen(): boolean {
    return !this.#closed && this.#reader.broken === undefined;
  }

  /**
   * What the server has said without being asked, where every answer was heard already. To take it for the next
   * answer would be to hold one mailbox's fate against another.
   */
  get unsolicited(): Reply | undefined {
    this.#unasked ??= this.#reader.take();
    return this.#unasked;
  }

  send(lines: readonly string[]): void {
    // An address with a line break in it never gets past the parser; if one did, it must not get past here.
    if (lines.some((line) => /[\r\n\0]/.test(line))) throw new Error("a command with a line break in it");
    this.#unasked = this.unsolicited;
    if (!this.#closed) this.#socket.write(`${lines.join("\r\n")}\r\n`);
  }

  /** Waits for the next reply. What was said before the server hung up still counts. */
  async receive(timeoutMs: number): Promise<CommandResult> {
    const deadline = performance.now() + timeoutMs;
    // A server may dismiss us at any moment. Nothing else makes sense unasked, nor does what comes after it.
    if (this.#unasked?.code === SERVICE_CLOSING) return { kind: "reply", reply: this.#unasked };
    if (this.#unasked) return { kind: "garbage", why: "a reply without a question" };
    for (;;) {
      const reply = this.#reader.take();
      if (reply) return { kind: "reply", reply };
      if (this.#reader.broken) return { kind: "garbage", why: this.#reader.broken };
      if (this.#closed) return { kind: "closed" };
      const left = deadline - performance.now();
      if (left <= 0) return { kind: "timeout" };
      await this.#newsWithin(left);
    }
  }

  /**
   * The TLS handshake after STARTTLS was granted. Certificates are not judged: we say nothing secret, and
   * most mail servers have none that a browser would like.
   */
  async encrypt(serverName: string, timeoutMs: number): Promise<boolean> {
    this.#reader.reset(); // nothing said in the clear may be taken for something said inside
    const plain = this.#socket;
    plain.removeAllListeners("data");
    const secure = startTls({
      socket: plain,
      servername: serverName,
      rejectUnauthorized: false,
      minVersion: "TLSv1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const done = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      const finish = (ok: boolean) => {
        clearTimeout(timer);
        resolve(ok);
      };
      secure.once("secureConnect", () => finish(true));
      secure.once("error", () => finish(false));
      secure.once("close", () => finish(false));
    });
    if (!done) {
      abandon(secure);
      this.close();
      return false;
    }
    this.#socket = secure;
    this.#listen(secure);
    return true;
  }

  /** Hangs up at once. */
  close(): void {
    this.#closed = true;
    abandon(this.#socket);
    this.#wake?.();
  }

  #listen(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => {
      this.#heardBytes += chunk.length;
      this.#reader.feed(chunk);
      if (this.#reader.broken || this.#heardBytes > MAX_HEARD_BYTES) this.close();
      this.#wake?.();
    });
    const ended = () => {
      if (socket !== this.#socket) return;
      this.#closed = true;
      this.#wake?.();
    };
    socket.on("end", ended);
    socket.on("close", ended);
    socket.on("error", ended);
  }

  #newsWithin(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, timeoutMs);
      function done(): void {
        clearTimeout(timer);
        resolve();
      }
      this.#wake = () => {
        this.#wake = undefined;
        done();
      };
    });
  }
}
