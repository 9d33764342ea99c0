/**
 * SMTP client for one session: greeting, STARTTLS where offered, then batches of recipients, then QUIT.
 *
 * Sends MAIL and RCPT only, with RSET between transactions; never DATA and never VRFY. Where the server supports
 * PIPELINING, a batch is one write and costs one round trip.
 *
 * Knows the command order of RFC 5321. The wire is in connection.ts, which recipients to send in session-runner.ts, what
 * a reply means in meaning.ts. Why it is not a library: docs/decisions/0003-own-smtp-client-and-host-throttling.md.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { Reply } from "../reply.ts";
import type { Connect, Egress } from "./connect.ts";
import { type ReceivedReplies, SERVICE_CLOSING, SmtpConnection } from "./connection.ts";

export type SmtpClientDeps = { dial: Connect; egress: Pick<Egress, "ehloName" | "mailFrom"> };

/** Which protocol features to use with a host, from what earlier sessions have learned (learned-limits.ts). */
export type SessionFeatures = { startTls: boolean; pipelining: boolean; ehlo: boolean };

/** `learned`: features that the host does not support although it offers them. */
export type GreetingResult = Opening & { learned?: Partial<SessionFeatures> };

type Opening =
  | { kind: "ready"; client: SmtpClient }
  /** The server replied and rejects the session. */
  | { kind: "refused"; stage: "banner" | "ehlo"; reply: Reply }
  /** No TCP connection; `isSilent` without even a refusal, `isLocal` when our own proxy failed. */
  | { kind: "unreachable"; isSilent: boolean; isLocal: boolean }
  /** None to the address from here. */
  | { kind: "no_route" }
  /** A TCP connection without an SMTP session. */
  | { kind: "timeout" | "closed" | "protocol_error" };

/** Recipients to name under one MAIL command: a new one, or the one that the last batch left open. */
export type Transaction = { recipients: readonly string[]; smtpUtf8: boolean; isNew: boolean };

/** The reply that decides about a recipient, and the command it belongs to. A refused MAIL is about us. */
export type RcptResult = { stage: "mail" | "rcpt"; reply: Reply };

/** How the server ended a session; "service_closing" is 421. */
export type SessionEnding = "closed" | "timeout" | "protocol_error" | "service_closing";

export type BatchResult = {
  /** By transaction and recipient; undefined where the session ended before the answer. */
  answers: (RcptResult | undefined)[][];
  /** Set when the session is over. */
  ending?: SessionEnding;
  /** The 421, where there was one. */
  closingReply?: Reply;
  /** A reply was lost, or there was one too many: there are no answers from where that may have begun. */
  isOutOfStep?: true;
  /** The longest pause between two replies of a pipelined batch. */
  pauseMs: number;
};

const MAX_CONNECT_MS = 15_000;
/** Per reply: Postfix delays each by a second after ten errors. A host that still has the last session may refuse the next. */
const QUIT_TIMEOUT_MS = 2000;
/** Time for a host to notice that we have closed the connection: it may allow only one. */
const RECONNECT_AFTER_MS = 250;
/** A server that closes in the middle of a batch does so at once. After this pause it has waited for a further command. */
const WAITED_FOR_US_MS = 3000;

export async function openSmtpClient(
  deps: SmtpClientDeps,
  host: { name: string; address: string },
  features: SessionFeatures,
  timeoutMs: number,
): Promise<GreetingResult> {
  const deadline = performance.now() + timeoutMs;
  const left = () => Math.max(1, deadline - performance.now());
  const dialled = await deps.dial(host.address, Math.min(MAX_CONNECT_MS, timeoutMs / 2));
  if (dialled.kind === "no_route") return { kind: "no_route" };
  if (dialled.kind !== "connected") {
    const isLocal = dialled.kind === "unreachable" && dialled.isLocal === true;
    return { kind: "unreachable", isSilent: dialled.kind === "timeout", isLocal };
  }
  const connection = new SmtpConnection(dialled.socket);
  const abort = async (result: GreetingResult): Promise<GreetingResult> => {
    if (result.kind === "refused") await endWith(connection, ["QUIT"], Math.min(QUIT_TIMEOUT_MS, left()));
    else connection.close();
    return result;
  };

  const banner = await connection.receive(left());
  if (banner.kind !== "reply") return abort({ kind: banner.kind });
  if (banner.reply.code !== 220) return abort({ kind: "refused", stage: "banner", reply: banner.reply });

  /** The host closed the connection at a feature: one more connection without it. */
  const retryWithout = async (learned: Partial<SessionFeatures>): Promise<GreetingResult> => {
    connection.close();
    await pause(Math.min(RECONNECT_AFTER_MS, left()));
    const again = await openSmtpClient(deps, host, { ...features, ...learned }, left());
    // A host that has no room for the second connection still has broken TLS. One that also closes at HELO may be down.
    const isLearned = again.kind === "ready" || (again.kind === "refused" && learned.startTls === false);
    return isLearned ? { ...again, learned: { ...learned, ...again.learned } } : again;
  };

  let greeted = await greet(connection, deps.egress.ehloName, features.ehlo, left);
  if (greeted.kind === "closed" && features.ehlo) return retryWithout({ ehlo: false });
  if (greeted.kind !== "greeted") return abort(greeted);

  let isTlsMissing = greeted.extensions?.has("STARTTLS") === true;
  if (features.startTls && isTlsMissing) {
    connection.send(["STARTTLS"]);
    const granted = await connection.receive(left());
    if (granted.kind === "reply" && granted.reply.code === 220) {
      // A host with broken TLS still accepts mail in plain text, so plain text is good enough for a probe.
      const isEncrypted = await connection.startTls(host.name, Math.min(left(), timeoutMs / 3));
      if (!isEncrypted) return retryWithout({ startTls: false });
      greeted = await greet(connection, deps.egress.ehloName, true, left);
      if (greeted.kind === "closed") return retryWithout({ startTls: false });
      if (greeted.kind !== "greeted") return abort(greeted);
      isTlsMissing = false;
    } else if (granted.kind === "closed") {
      return retryWithout({ startTls: false });
    } else if (granted.kind !== "reply") {
      return abort({ kind: granted.kind });
    }
  }
  const client = new SmtpClient(connection, {
    extensions: greeted.extensions,
    mailFrom: deps.egress.mailFrom,
    mayPipeline: features.pipelining,
    banner: banner.reply,
    isTlsMissing,
  });
  return { kind: "ready", client };
}

/** Sends last commands, waits for one reply to each and ends the connection. The timeout is for all replies together. */
async function endWith(connection: SmtpConnection, lines: string[], timeoutMs: number): Promise<void> {
  connection.send(lines);
  const { failure } = await connection.receiveAll(lines.length, timeoutMs);
  await connection.end(failure === undefined);
}

/** `extensions` is undefined where only HELO was accepted: then nothing is known of them. */
type Greeted =
  | { kind: "greeted"; extensions: ReadonlySet<string> | undefined }
  | Exclude<GreetingResult, { kind: "ready" }>;

/** EHLO, or HELO where the server rejects EHLO as unknown (RFC 5321, 3.2). */
async function greet(
  connection: SmtpConnection,
  name: string,
  useEhlo: boolean,
  left: () => number,
): Promise<Greeted> {
  if (useEhlo) {
    connection.send([`EHLO ${name}`]);
    const ehlo = await connection.receive(left());
    if (ehlo.kind !== "reply") return { kind: ehlo.kind };
    if (isSuccess(ehlo.reply)) return { kind: "greeted", extensions: extensionsIn(ehlo.reply) };
    if (ehlo.reply.code < 500 || ehlo.reply.code > 504)
      return { kind: "refused", stage: "ehlo", reply: ehlo.reply };
  }
  connection.send([`HELO ${name}`]);
  const helo = await connection.receive(left());
  if (helo.kind !== "reply") return { kind: helo.kind };
  if (isSuccess(helo.reply)) return { kind: "greeted", extensions: undefined };
  return { kind: "refused", stage: "ehlo", reply: helo.reply };
}

/** The host name at the start of a banner, where there is one. */
function nameIn({ lines }: Reply): string | undefined {
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?=\s|$)/i.exec(lines[0] ?? "")?.[0];
}

function extensionsIn(reply: Reply): Set<string> {
  const extensions = new Set<string>();
  for (let i = 1; i < reply.lines.length; i++) extensions.add(keywordOf(reply.lines[i]!).toUpperCase());
  return extensions;
}

function keywordOf(line: string): string {
  const space = line.indexOf(" ");
  return space < 0 ? line : line.slice(0, space);
}

function isSuccess(reply: Reply): boolean {
  return reply.code >= 200 && reply.code < 300;
}

type Command = { line: string; transaction: number } & (
  | { kind: "rset" | "mail" }
  | { kind: "rcpt"; recipient: string }
);

/** The replies to a pipelined batch that certainly belong to the command in their place. */
type Placed = { certain: number; isOutOfStep: boolean };

/**
 * Replies have no number. With too few of them, the missing one is the last only where the server closed in between: one
 * that is silent, or has waited for us, may have lost any of them. Then those count up to the last that names its recipient.
 */
function placeReplies(commands: readonly Command[], { replies, failure, waitMs }: ReceivedReplies): Placed {
  const asked = new AskedRecipients(commands);
  let certain = 0;
  for (const [i, reply] of replies.entries()) {
    const command = commands[i]!;
    if (reply.code === SERVICE_CLOSING) break;
    const named = command.kind === "rcpt" ? asked.namedIn(reply, command.recipient) : undefined;
    if (named === "another" || (command.kind === "rset" && !isSuccess(reply)))
      return { certain, isOutOfStep: true };
    if (named === "itself") certain = i + 1;
  }
  const isClosing = failure?.kind === "closed" || replies.at(-1)?.code === SERVICE_CLOSING;
  const isSilent = failure?.kind === "timeout" || (isClosing && waitMs >= WAITED_FOR_US_MS);
  const answered = replies.filter(({ code }) => code !== SERVICE_CLOSING).length;
  return isSilent
    ? { certain, isOutOfStep: certain < answered }
    : { certain: replies.length, isOutOfStep: false };
}

/** Bounded, and only from the start of a word: the text is remote input. */
const ADDRESS_IN_TEXT = /(?<![^\s<>()[\]"':;,])[^\s<>()[\]"':;,]{1,128}@[a-z0-9.-]{0,254}[a-z0-9]/g;

/** Recipients that a reply may be for. */
class AskedRecipients {
  readonly #times = new Map<string, number>();
  /** By a reply in their own place that names them. */
  readonly #accepted = new Set<string>();

  constructor(commands: readonly Command[]) {
    for (const command of commands) {
      if (command.kind !== "rcpt") continue;
      const name = command.recipient.toLowerCase();
      this.#times.set(name, (this.#times.get(name) ?? 0) + 1);
    }
  }

  /**
   * Whether the reply in the place of a recipient names it, or another one. Of several that are aliases of one mailbox
   * Sendmail names the first in all its replies, so that says nothing.
   */
  namedIn(reply: Reply, recipient: string): "itself" | "another" | undefined {
    const names: string[] = reply.lines.join(" ").toLowerCase().match(ADDRESS_IN_TEXT) ?? [];
    const own = recipient.toLowerCase();
    if (names.includes(own)) {
      if (isSuccess(reply)) this.#accepted.add(own);
      return this.#times.get(own) === 1 ? "itself" : undefined;
    }
    const others = names.filter((name) => this.#times.has(name));
    const areAliases = isSuccess(reply) && others.every((name) => this.#accepted.has(name));
    return others.length > 0 && !areAliases ? "another" : undefined;
  }
}

type SmtpClientOptions = {
  extensions: ReadonlySet<string> | undefined;
  mailFrom: string;
  mayPipeline: boolean;
  banner: Reply;
  isTlsMissing: boolean;
};

export class SmtpClient {
  /** The extensions that EHLO listed; undefined where only HELO was accepted. */
  readonly extensions: ReadonlySet<string> | undefined;
  readonly usesPipelining: boolean;
  /** The server offers STARTTLS, which did not work: inside it there may be further extensions. */
  readonly isTlsMissing: boolean;
  /** What the server calls itself in its banner. */
  readonly bannerName: string | undefined;
  /** The banner names Postfix, whose limit of errors is known. */
  readonly isPostfix: boolean;
  readonly #connection: SmtpConnection;
  readonly #mailFrom: string;
  #inTransaction = false;
  #hasQuit = false;

  constructor(connection: SmtpConnection, options: SmtpClientOptions) {
    this.#connection = connection;
    this.#mailFrom = options.mailFrom;
    this.extensions = options.extensions;
    this.usesPipelining = options.mayPipeline && options.extensions?.has("PIPELINING") === true;
    this.isTlsMissing = options.isTlsMissing;
    this.bannerName = nameIn(options.banner);
    this.isPostfix = /\bpostfix\b/i.test(options.banner.lines[0] ?? "");
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** The server ended the session: it is over, and not because the last batch ended it, as planned. */
  get hasHungUp(): boolean {
    return !this.isOpen && !this.#hasQuit;
  }

  /**
   * Sends RCPT for every recipient of these transactions. `timeoutMs` is for the whole batch. With `isLast` and
   * pipelining, QUIT is sent along: it saves a round trip (RFC 2920, 3.1).
   */
  async sendBatch(
    transactions: readonly Transaction[],
    timeoutMs: number,
    isLast = false,
  ): Promise<BatchResult> {
    const deadline = performance.now() + timeoutMs;
    const commands = this.#commandsFor(transactions);
    const result: BatchResult = { answers: transactions.map(() => []), pauseMs: 0 };
    const { answers } = result;
    let refusal: Reply | undefined; // of the last MAIL
    if (commands.length === 0) return result;
    const quits = isLast && this.usesPipelining;
    let received: ReceivedReplies | undefined;
    if (this.usesPipelining) {
      const lines = commands.map((command) => command.line);
      if (quits) lines.push("QUIT");
      this.#connection.send(lines);
      received = await this.#connection.receiveAll(commands.length, timeoutMs);
      result.pauseMs = received.pauseMs;
      const { certain, isOutOfStep } = placeReplies(commands, received);
      if (isOutOfStep) {
        const failure = received.failure ?? { kind: "protocol_error", why: "replies out of step" };
        received = { ...received, replies: received.replies.slice(0, certain), failure };
        result.isOutOfStep = true;
      }
    }

    for (const [i, { kind, transaction, line }] of commands.entries()) {
      if (!this.usesPipelining) {
        if (kind === "rcpt" && refusal) {
          answers[transaction]!.push({ stage: "mail", reply: refusal });
          continue;
        }
        this.#connection.send([line]);
        received = await this.#connection.receiveAll(1, Math.max(1, deadline - performance.now()));
      }
      const reply = received!.replies[this.usesPipelining ? i : 0];
      if (!reply) return this.#end(result, received!.failure!.kind);
      if (kind === "mail") refusal = isSuccess(reply) ? undefined : reply;
      if (kind === "rcpt")
        answers[transaction]!.push(refusal ? { stage: "mail", reply: refusal } : { stage: "rcpt", reply });
      if (reply.code === SERVICE_CLOSING) return this.#end(result, "service_closing", reply);
    }
    let isQuitAnswered = false;
    if (quits) {
      const quit = await this.#connection.receive(QUIT_TIMEOUT_MS);
      isQuitAnswered = quit.kind === "reply";
      // Any other reply may be that to the last recipient, and all before it too early by one.
      if (quit.kind === "reply" && quit.reply.code !== 221 && quit.reply.code !== SERVICE_CLOSING)
        return { ...(await this.#end(result, "protocol_error")), answers: [], isOutOfStep: true };
    }
    const { unsolicited } = this.#connection;
    if (unsolicited?.code === SERVICE_CLOSING) return this.#end(result, "service_closing", unsolicited);
    if (unsolicited) return { ...(await this.#end(result, "protocol_error")), isOutOfStep: true };
    if (quits) {
      this.#hasQuit = true;
      await this.#connection.end(isQuitAnswered);
    }
    return result;
  }

  /** With more replies than commands no reply can be attributed to a recipient. A 421 may come at any time. */
  #attributable(answers: (RcptResult | undefined)[][]): (RcptResult | undefined)[][] {
    const { unsolicited } = this.#connection;
    return unsolicited === undefined || unsolicited.code === SERVICE_CLOSING ? answers : [];
  }

  /** Sends QUIT and waits shortly for the reply: many hosts close without one. */
  async quit(): Promise<void> {
    const lines = this.usesPipelining && this.#inTransaction ? ["RSET", "QUIT"] : ["QUIT"];
    if (this.isOpen) await endWith(this.#connection, lines, lines.length * QUIT_TIMEOUT_MS);
    else this.#connection.close();
  }

  #commandsFor(transactions: readonly Transaction[]): Command[] {
    const commands: Command[] = [];
    for (const [transaction, { recipients, smtpUtf8, isNew }] of transactions.entries()) {
      if (isNew) {
        if (this.#inTransaction) commands.push({ line: "RSET", kind: "rset", transaction });
        this.#inTransaction = true;
        const parameters = smtpUtf8 ? " SMTPUTF8" : "";
        commands.push({ line: `MAIL FROM:<${this.#mailFrom}>${parameters}`, kind: "mail", transaction });
      }
      for (const recipient of recipients) {
        commands.push({ line: `RCPT TO:<${recipient}>`, kind: "rcpt", transaction, recipient });
      }
    }
    return commands;
  }

  async #end(result: BatchResult, ending: SessionEnding, closingReply?: Reply): Promise<BatchResult> {
    if (this.isOpen) this.#connection.send(["QUIT"]); // the server may still read although it does not answer
    const answers = closingReply ? result.answers : this.#attributable(result.answers);
    await this.#connection.end();
    return { ...result, answers, ending, ...(closingReply && { closingReply }) };
  }
}
