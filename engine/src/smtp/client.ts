/**
 * One stay at a mail server: greet it, encrypt if it offers that, then ask for recipients, many in a stay.
 *
 * MAIL and RCPT only, with RSET between transactions and QUIT at the end; never DATA, never VRFY. Where the
 * server pipelines, all the questions of a round go out in one packet and cost one round trip.
 */

import type { Connect, Egress } from "./connect.ts";
import { SERVICE_CLOSING, SmtpConnection } from "./connection.ts";
import type { Reply } from "./reply.ts";

export type SmtpClientDeps = { dial: Connect; egress: Pick<Egress, "ehloName" | "mailFrom"> };

/** Which liberties to take with a host, from what earlier stays have taught. */
export type SessionFeatures = { encrypt: boolean; pipeline: boolean; extended: boolean };

export type GreetingResult =
  /** `taught`: what the host could not bear, and what it was spared in this session. */
  | { kind: "ready"; session: SmtpClient; taught: Partial<SessionFeatures> }
  /** The server spoke, and would not have us. */
  | { kind: "refused"; stage: "banner" | "ehlo"; reply: Reply }
  /** No connection came about; `isSilent` when not even a refusal came back, `isOurs` when our own proxy failed. */
  | { kind: "unreachable"; isSilent: boolean; isOurs: boolean }
  /** A connection, and then no conversation. */
  | { kind: "timeout" | "closed" | "garbage" };

/** Recipients to name under one MAIL command: a new one, or the one that the last round left open. */
export type Transaction = { recipients: readonly string[]; smtpUtf8: boolean; isNew: boolean };

/** What was said about one recipient, and at which command: a refused MAIL is about us. */
export type RcptResult = { stage: "mail" | "rcpt"; reply: Reply };

export type BatchResult = {
  /** By transaction and recipient; undefined where the session ended before the answer. */
  answers: (RcptResult | undefined)[][];
  /** Set when the session is over; "dismissed" is 421. */
  ending?: "closed" | "timeout" | "garbage" | "dismissed";
};

const MAX_CONNECT_MS = 15_000;
const FAREWELL_MS = 2000;

export async function openSmtpClient(
  deps: SmtpClientDeps,
  host: { name: string; address: string },
  manners: SessionFeatures,
  timeoutMs: number,
): Promise<GreetingResult> {
  const deadline = performance.now() + timeoutMs;
  const left = () => Math.max(1, deadline - performance.now());
  const dialled = await deps.dial(host.address, Math.min(MAX_CONNECT_MS, timeoutMs / 2));
  if (dialled.kind !== "connected") {
    const isOurs = dialled.kind === "unreachable" && dialled.isOurs === true;
    return { kind: "unreachable", isSilent: dialled.kind === "timeout", isOurs };
  }
  const conversation = new SmtpConnection(dialled.socket);
  const giveUp = async (opening: GreetingResult): Promise<GreetingResult> => {
    if (opening.kind === "refused") await sayGoodbye(conversation, ["QUIT"], Math.min(FAREWELL_MS, left()));
    conversation.close();
    return opening;
  };

  const banner = await conversation.receive(left());
  if (banner.kind !== "reply") return giveUp({ kind: banner.kind });
  if (banner.reply.code !== 220) return giveUp({ kind: "refused", stage: "banner", reply: banner.reply });

  /** The host broke off. Once more in a new connection, without what it broke off at. */
  const without = async (taught: Partial<SessionFeatures>): Promise<GreetingResult> => {
    conversation.close();
    const again = await openSmtpClient(deps, host, { ...manners, ...taught }, left());
    return again.kind === "ready" ? { ...again, taught: { ...taught, ...again.taught } } : again;
  };

  let greeted = await greet(conversation, deps.egress.ehloName, manners.extended, left);
  if (greeted.kind === "closed" && manners.extended) return without({ extended: false });
  if (greeted.kind !== "welcome") return giveUp(greeted);

  if (manners.encrypt && greeted.features?.has("STARTTLS")) {
    conversation.send(["STARTTLS"]);
    const granted = await conversation.receive(left());
    if (granted.kind === "reply" && granted.reply.code === 220) {
      // A host with broken TLS still takes mail in the clear, and so do we.
      const isEncrypted = await conversation.encrypt(host.name, Math.min(left(), timeoutMs / 3));
      if (!isEncrypted) return without({ encrypt: false });
      greeted = await greet(conversation, deps.egress.ehloName, true, left);
      if (greeted.kind === "closed") return without({ encrypt: false });
      if (greeted.kind !== "welcome") return giveUp(greeted);
    } else if (granted.kind === "closed") {
      return without({ encrypt: false });
    } else if (granted.kind !== "reply") {
      return giveUp({ kind: granted.kind });
    }
  }
  const session = new SmtpClient(conversation, greeted.features, deps.egress.mailFrom, manners.pipeline);
  session.greetedAs = nameIn(banner.reply);
  return { kind: "ready", session, taught: {} };
}

/** One reply for each line, then we are gone. However much it says instead, the time is for all of it. */
async function sayGoodbye(conversation: SmtpConnection, lines: string[], timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  conversation.send(lines);
  for (const _ of lines) {
    const heard = await conversation.receive(deadline - performance.now());
    if (heard.kind !== "reply") return;
  }
}

/** `features` is undefined where only HELO was understood: then nothing is known of them. */
type Greeted =
  | { kind: "welcome"; features: ReadonlySet<string> | undefined }
  | Exclude<GreetingResult, { kind: "ready" }>;

/** EHLO, or HELO where the server is older than 1995 or pretends to be. */
async function greet(
  conversation: SmtpConnection,
  name: string,
  extended: boolean,
  left: () => number,
): Promise<Greeted> {
  if (extended) {
    conversation.send([`EHLO ${name}`]);
    const heard = await conversation.receive(left());
    if (heard.kind !== "reply") return { kind: heard.kind };
    if (isSuccess(heard.reply)) return { kind: "welcome", features: featuresOf(heard.reply) };
    if (heard.reply.code < 500 || heard.reply.code > 504)
      return { kind: "refused", stage: "ehlo", reply: heard.reply };
  }
  conversation.send([`HELO ${name}`]);
  const older = await conversation.receive(left());
  if (older.kind !== "reply") return { kind: older.kind };
  if (isSuccess(older.reply)) return { kind: "welcome", features: undefined };
  return { kind: "refused", stage: "ehlo", reply: older.reply };
}

/** The name that a banner begins with, where it is one. */
function nameIn({ lines }: Reply): string | undefined {
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?=\s|$)/i.exec(lines[0] ?? "")?.[0];
}

function featuresOf(reply: Reply): Set<string> {
  return new Set(reply.lines.slice(1).map((line) => line.split(" ", 1)[0]!.toUpperCase()));
}

function isSuccess(reply: Reply): boolean {
  return reply.code >= 200 && reply.code < 300;
}

type Step = { line: string; kind: "rset" | "mail" | "rcpt"; transaction: number };

export class SmtpClient {
  /** What EHLO offered; undefined where only HELO was understood. */
  readonly features: ReadonlySet<string> | undefined;
  readonly pipelines: boolean;
  /** What the server calls itself. */
  greetedAs: string | undefined;
  readonly #conversation: SmtpConnection;
  readonly #mailFrom: string;
  #inTransaction = false;

  constructor(
    conversation: SmtpConnection,
    features: ReadonlySet<string> | undefined,
    mailFrom: string,
    mayPipeline: boolean,
  ) {
    this.#conversation = conversation;
    this.#mailFrom = mailFrom;
    this.features = features;
    this.pipelines = mayPipeline && features?.has("PIPELINING") === true;
  }

  get isOpen(): boolean {
    return this.#conversation.isOpen;
  }

  /** Asks for every recipient of these transactions. `timeoutMs` is for the whole round. */
  async ask(transactions: readonly Transaction[], timeoutMs: number): Promise<BatchResult> {
    const deadline = performance.now() + timeoutMs;
    const steps = this.#stepsFor(transactions);
    const answers: (RcptResult | undefined)[][] = transactions.map(() => []);
    const refusedSender = new Map<number, Reply>();
    if (steps.length === 0) return { answers };
    if (this.pipelines) this.#conversation.send(steps.map((step) => step.line));

    for (const step of steps) {
      const refusal = refusedSender.get(step.transaction);
      if (!this.pipelines) {
        if (step.kind === "rcpt" && refusal) {
          answers[step.transaction]!.push({ stage: "mail", reply: refusal });
          continue;
        }
        this.#conversation.send([step.line]);
      }
      const heard = await this.#conversation.receive(Math.max(1, deadline - performance.now()));
      if (heard.kind !== "reply") return this.#over(this.#inStep(answers), heard.kind);
      const { reply } = heard;
      if (step.kind === "mail" && !isSuccess(reply)) refusedSender.set(step.transaction, reply);
      if (step.kind === "rcpt") {
        answers[step.transaction]!.push(
          refusal ? { stage: "mail", reply: refusal } : { stage: "rcpt", reply },
        );
      }
      if (reply.code === SERVICE_CLOSING) return this.#over(answers, "dismissed");
    }
    const { unsolicited } = this.#conversation;
    if (!unsolicited) return { answers };
    return this.#over(this.#inStep(answers), unsolicited.code === SERVICE_CLOSING ? "dismissed" : "garbage");
  }

  /** With more replies than questions we cannot know which of them was whose. A dismissal may come at any time. */
  #inStep(answers: (RcptResult | undefined)[][]): (RcptResult | undefined)[][] {
    const { unsolicited } = this.#conversation;
    return unsolicited === undefined || unsolicited.code === SERVICE_CLOSING ? answers : [];
  }

  /** Says goodbye and waits for the answer, but not for long: many hosts just hang up. */
  async quit(): Promise<void> {
    const lines = this.pipelines && this.#inTransaction ? ["RSET", "QUIT"] : ["QUIT"];
    if (this.isOpen) await sayGoodbye(this.#conversation, lines, FAREWELL_MS);
    this.#conversation.close();
  }

  #stepsFor(transactions: readonly Transaction[]): Step[] {
    const steps: Step[] = [];
    for (const [transaction, { recipients, smtpUtf8, isNew }] of transactions.entries()) {
      if (isNew) {
        if (this.#inTransaction) steps.push({ line: "RSET", kind: "rset", transaction });
        this.#inTransaction = true;
        const parameters = smtpUtf8 ? " SMTPUTF8" : "";
        steps.push({ line: `MAIL FROM:<${this.#mailFrom}>${parameters}`, kind: "mail", transaction });
      }
      for (const recipient of recipients) {
        steps.push({ line: `RCPT TO:<${recipient}>`, kind: "rcpt", transaction });
      }
    }
    return steps;
  }

  #over(answers: (RcptResult | undefined)[][], ending: NonNullable<BatchResult["ending"]>): BatchResult {
    if (this.isOpen) this.#conversation.send(["QUIT"]); // it may still read what it does not answer
    this.#conversation.close();
    return { answers, ending };
  }
}
