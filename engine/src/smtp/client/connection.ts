/**
 * One SMTP connection: send lines, wait for the next complete replies, start TLS, close.
 *
 * Knows the wire only: reply framing, limits on time and bytes, unsolicited replies. Command order is in client.ts, what
 * a reply means in meaning.ts.
 */
import type { Socket } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";
import type { Reply } from "../reply.ts";
import { destroySocket } from "./connect.ts";
import { ReplyReader } from "./reply-reader.ts";

/** Why no further reply comes. */
export type ReplyFailure = { kind: "closed" } | { kind: "timeout" } | { kind: "protocol_error"; why: string };

/** The result of waiting for a reply. */
export type CommandResult = { kind: "reply"; reply: Reply } | ReplyFailure;

/** The replies to several commands, up to the first 421; `failure` is set when there are too few without one. */
export type ReceivedReplies = {
  replies: Reply[];
  failure?: ReplyFailure;
  /** The longest pause between two of the replies. */
  pauseMs: number;
  /** The pause before the end: the last reply, or the failure. */
  waitMs: number;
};

/** The code of a server that is about to close the connection (RFC 5321, 3.8). */
export const SERVICE_CLOSING = 421;

/** More than any number of replies to our commands can have. */
const MAX_RECEIVED_BYTES = 4 * 1024 * 1024;
/** For what is left to send, where the server no longer reads. */
const END_TIMEOUT_MS = 1000;
/** Also those of Unicode: a server may decode the command before it splits lines. */
const LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u;

type ReplyWait = {
  count: number;
  replies: Reply[];
  deadline: number;
  /** When the last reply arrived, the pause before it, and the longest one. */
  lastAtMs: number;
  waitMs: number;
  pauseMs: number;
  done(result: ReceivedReplies): void;
};

export class SmtpConnection {
  #socket: Socket;
  readonly #reader = new ReplyReader();
  #receivedBytes = 0;
  #closed = false;
  #unsolicited: Reply | undefined;
  #wait: ReplyWait | undefined;
  /** One timer for all waits: it is set again only when it fires too early, or would fire too late. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = 0;

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
    let text = "";
    for (const line of lines) {
      // The address parser rejects line breaks; this is the second line of defence against command injection.
      if (LINE_BREAK.test(line)) throw new Error("SMTP command contains a line break");
      text += `${line}\r\n`;
    }
    this.#unsolicited = this.unsolicited;
    if (!this.#closed) this.#socket.write(text);
  }

  /** Waits for the next reply. Replies received before the server closed the connection still count. */
  async receive(timeoutMs: number): Promise<CommandResult> {
    const { replies, failure } = await this.receiveAll(1, timeoutMs);
    return failure ?? { kind: "reply", reply: replies[0]! };
  }

  /** Waits for the next `count` replies, or for a 421. */
  receiveAll(count: number, timeoutMs: number): Promise<ReceivedReplies> {
    return new Promise((done) => {
      const deadline = performance.now() + timeoutMs;
      this.#wait = { count, replies: [], deadline, lastAtMs: 0, waitMs: 0, pauseMs: 0, done };
      this.#advance();
      if (this.#wait) this.#setTimer(deadline, timeoutMs);
    });
  }

  /** Ends the wait if it is over. */
  #advance(): void {
    const wait = this.#wait;
    if (!wait) return;
    const taken = wait.replies.length;
    const end = this.#take(wait.replies, wait.count);
    if (wait.count > 1 && wait.replies.length > taken) {
      const nowMs = performance.now();
      if (taken > 0) wait.waitMs = nowMs - wait.lastAtMs;
      wait.pauseMs = Math.max(wait.pauseMs, wait.waitMs);
      wait.lastAtMs = nowMs;
    }
    if (end === "complete") this.#endWait();
    else if (end) this.#endWait(end);
  }

  /** Takes what has arrived; undefined while more is to come. */
  #take(replies: Reply[], count: number): "complete" | ReplyFailure | undefined {
    // 421 may come at any time. Any other unsolicited reply makes all further replies ambiguous.
    const unsolicited = this.#unsolicited;
    if (unsolicited && unsolicited.code !== SERVICE_CLOSING)
      return { kind: "protocol_error", why: "a reply without a command" };
    while (replies.length < count) {
      const reply = unsolicited ?? this.#reader.take();
      if (!reply) break;
      replies.push(reply);
      if (reply.code === SERVICE_CLOSING) return "complete";
    }
    const { violation } = this.#reader;
    if (replies.length === count) return "complete";
    if (violation) return { kind: "protocol_error", why: violation };
    return this.#closed ? { kind: "closed" } : undefined;
  }

  #endWait(failure?: ReplyFailure): void {
    const { done, replies, pauseMs, lastAtMs } = this.#wait!;
    const waitMs = failure && lastAtMs > 0 ? performance.now() - lastAtMs : this.#wait!.waitMs;
    this.#wait = undefined;
    done({ replies, pauseMs, waitMs, ...(failure && { failure }) });
  }

  #setTimer(deadline: number, leftMs: number): void {
    if (this.#timer !== undefined && this.#timerAt <= deadline) return;
    clearTimeout(this.#timer);
    this.#timerAt = deadline;
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(1, leftMs));
  }

  #onTimer(): void {
    this.#timer = undefined;
    if (!this.#wait) return;
    const { deadline } = this.#wait;
    const leftMs = deadline - performance.now();
    if (leftMs > 0) this.#setTimer(deadline, leftMs);
    else this.#endWait({ kind: "timeout" });
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

  /**
   * Ends TLS and TCP, then closes without waiting for the server to end them too (RFC 8446, 6.1). Without the
   * close_notify, servers log a connection that was cut off. Without an answer to QUIT, unread bytes would reset the connection.
   */
  async end(isQuitAnswered = false): Promise<void> {
    // Nothing is left to send or to read, so that closing is enough to end TCP.
    if (isQuitAnswered && !(this.#socket instanceof TLSSocket)) return this.close();
    if (this.#socket.destroyed) return this.close(); // its end would never be reported
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, END_TIMEOUT_MS);
      const ended = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#socket.once("close", ended).end(ended);
    });
    this.close();
  }

  /** Closes immediately, without QUIT. */
  close(): void {
    destroySocket(this.#socket);
    this.#onClosed();
  }

  #onClosed(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#advance();
  }

  #listen(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => {
      this.#receivedBytes += chunk.length;
      this.#reader.feed(chunk);
      if (this.#reader.violation || this.#receivedBytes > MAX_RECEIVED_BYTES) this.close();
      else this.#advance();
    });
    const ended = () => {
      if (socket === this.#socket) this.#onClosed();
    };
    socket.on("end", ended);
    socket.on("close", ended);
    socket.on("error", ended);
  }
}
