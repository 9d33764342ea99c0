/**
 * One SMTP connection: send lines, wait for the next complete reply, start TLS, close.
 *
 * Knows the wire only: reply framing, limits on time and bytes, unsolicited replies. Command order is in client.ts, what
 * a reply means in meaning.ts.
 */
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { destroySocket } from "./connect.ts";
import type { Reply } from "./reply.ts";
import { ReplyReader } from "./reply-reader.ts";

/** The result of waiting for a reply. */
export type CommandResult =
  | { kind: "reply"; reply: Reply }
  | { kind: "closed" }
  | { kind: "timeout" }
  | { kind: "protocol_error"; why: string };

/** The code of a server that is about to close the connection (RFC 5321, 3.8). */
export const SERVICE_CLOSING = 421;

/** More than any number of replies to our commands can have. */
const MAX_RECEIVED_BYTES = 4 * 1024 * 1024;

export class SmtpConnection {
  #socket: Socket;
  #reader = new ReplyReader();
  #receivedBytes = 0;
  #closed = false;
  #unsolicited: Reply | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  get isOpen(): boolean {
    return !this.#closed && this.#reader.violation === undefined;
  }

  /**
   * A reply that arrived although no command was outstanding. Reading it as the answer to the next command would
   * attribute the reply for one mailbox to another.
   */
  get unsolicited(): Reply | undefined {
    this.#unsolicited ??= this.#reader.take();
    return this.#unsolicited;
  }

  send(lines: readonly string[]): void {
    // The address parser rejects line breaks; this is the second line of defence against command injection.
    if (lines.some((line) => /[\r\n\0]/.test(line))) throw new Error("SMTP command contains a line break");
    this.#unsolicited = this.unsolicited;
    if (!this.#closed) this.#socket.write(`${lines.join("\r\n")}\r\n`);
  }

  /** Waits for the next reply. Replies received before the server closed the connection still count. */
  async receive(timeoutMs: number): Promise<CommandResult> {
    const deadline = performance.now() + timeoutMs;
    // 421 may come at any time. Any other unsolicited reply makes all further replies ambiguous.
    if (this.#unsolicited?.code === SERVICE_CLOSING) return { kind: "reply", reply: this.#unsolicited };
    if (this.#unsolicited) return { kind: "protocol_error", why: "a reply without a command" };
    for (;;) {
      const reply = this.#reader.take();
      if (reply) return { kind: "reply", reply };
      if (this.#reader.violation) return { kind: "protocol_error", why: this.#reader.violation };
      if (this.#closed) return { kind: "closed" };
      const left = deadline - performance.now();
      if (left <= 0) return { kind: "timeout" };
      await this.#waitForData(left);
    }
  }

  /**
   * The TLS handshake after the reply to STARTTLS. Certificates are not verified: a probe contains nothing secret, and
   * many mail servers have self-signed ones.
   */
  async startTls(serverName: string, timeoutMs: number): Promise<boolean> {
    this.#reader.reset(); // RFC 3207, 4.2: nothing received in plain text counts after the handshake
    const plain = this.#socket;
    plain.removeAllListeners("data");
    const secure = connectTls({
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
      destroySocket(secure);
      this.close();
      return false;
    }
    this.#socket = secure;
    this.#listen(secure);
    return true;
  }

  /** Closes immediately, without QUIT. */
  close(): void {
    this.#closed = true;
    destroySocket(this.#socket);
    this.#wake?.();
  }

  #listen(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => {
      this.#receivedBytes += chunk.length;
      this.#reader.feed(chunk);
      if (this.#reader.violation || this.#receivedBytes > MAX_RECEIVED_BYTES) this.close();
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

  #waitForData(timeoutMs: number): Promise<void> {
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
