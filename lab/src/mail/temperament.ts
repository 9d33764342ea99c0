/**
 * A temperament: how a mail server of the lab differs from an ordinary one.
 *
 * Data (reply templates, extensions, TLS, write pace) and functions called at each stage of the session. Temperaments
 * compose in order: delays add up, and the first one that answers decides. Without an answer, default-replies.ts
 * applies.
 */
import type { Mailbox, Truth } from "./mailboxes.ts";
import { DEFAULT_REPLIES, type ReplyTemplates } from "./reply-templates.ts";

export type Temperament = {
  /** Replace the default reply templates. */
  readonly replies?: Partial<ReplyTemplates>;
  /** Overrides the list of users. */
  readonly mailbox?: (mailbox: Mailbox) => Truth | undefined;
  /** EHLO keywords removed from and added to the default ones. */
  readonly extensions?: { readonly without?: readonly string[]; readonly with?: readonly string[] };
  /** Offers STARTTLS, with this outcome. */
  readonly tls?: TlsMode;
  /** Writes replies in chunks of this size with this gap. */
  readonly pace?: WritePace;
  /** Idle timeout of the client. */
  readonly idleMs?: number;
  readonly on?: { readonly [S in SmtpStage]?: (session: ServerSession) => Action | undefined };
};

/** One temperament, or several in order of precedence. */
export type Temper = Temperament | readonly Temper[];

/**
 * When a temperament is called: at the banner, at any command, at a specific command, and after a reply was sent
 * ("answered"; `session.refusals` then includes it).
 */
export type SmtpStage = "banner" | "command" | "answered" | CommandStage;
export type CommandStage =
  | "ehlo"
  | "helo"
  | "starttls"
  | "mail"
  | "rcpt"
  | "data"
  | "rset"
  | "quit"
  | "other";

export type TlsMode = "self_signed" | "expired" | "obsolete" | "garbled" | "silent";
export type WritePace = { readonly chunkBytes: number; readonly gapMs: number };

/** What the server does next: wait, then reply (or not), then optionally close. */
export type Action = {
  readonly delayMs?: number;
  /** Waits for this event as well, before the delay. */
  readonly until?: Promise<unknown>;
  /** Complete reply without the final line break, "\n" between lines, each line with its code. */
  readonly reply?: string;
  /** Arbitrary bytes instead of a reply. */
  readonly raw?: Uint8Array;
  /** Repeats the bytes until the client disconnects (at most 256 MiB). */
  readonly endless?: Uint8Array;
  /** No reply. */
  readonly silent?: true;
  readonly close?: "politely" | "abruptly";
  /** Performed before closing or reading on. */
  readonly next?: Action;
};

/** The session as seen by a temperament. */
export type ServerSession = {
  /** 1 for the first session of the server. */
  readonly number: number;
  readonly client: string;
  readonly secure: boolean;
  readonly greeting: string | undefined;
  readonly sender: string | undefined;
  /** The current MAIL declared SMTPUTF8. */
  readonly smtpUtf8: boolean;
  /** Recipients accepted in this transaction. */
  readonly recipients: readonly string[];
  /** RCPT commands in this session, including the current one, accepted or not. */
  readonly recipientsAsked: number;
  /** Replies of 400 and above in this session. */
  readonly refusals: number;
  /** The current command arrived before the reply to the previous one. */
  readonly early: boolean;
  /** Address of the current MAIL or RCPT, "" otherwise. */
  readonly address: string;
  truth(address: string): Truth | undefined;
  /** Fills in a reply template. */
  reply(name: keyof ReplyTemplates): string;
};

/** Several temperaments combined. */
export type ComposedTemperament = {
  readonly replies: ReplyTemplates;
  readonly extensions: readonly string[];
  readonly tls: TlsMode | undefined;
  readonly pace: WritePace | undefined;
  readonly idleMs: number;
  mailbox(mailbox: Mailbox): Truth | undefined;
  ask(stage: SmtpStage, session: ServerSession): Action | undefined;
};

const DEFAULT_EXTENSIONS = [
  "PIPELINING",
  "SIZE 35651584",
  "ENHANCEDSTATUSCODES",
  "8BITMIME",
  "DSN",
  "SMTPUTF8",
];
const DEFAULT_IDLE_MS = 300_000;

export function compose(temper: Temper): ComposedTemperament {
  const temperaments = flatten(temper);
  return {
    replies: Object.assign({}, DEFAULT_REPLIES, ...temperaments.map((one) => one.replies).reverse()),
    extensions: extensionsOf(temperaments),
    tls: temperaments.find((one) => one.tls)?.tls,
    pace: temperaments.find((one) => one.pace)?.pace,
    idleMs: temperaments.find((one) => one.idleMs)?.idleMs ?? DEFAULT_IDLE_MS,
    mailbox: (mailbox) => firstOf(temperaments, (one) => one.mailbox?.(mailbox)),
    ask: (stage, session) => askInTurn(temperaments, stage, session),
  };
}

export function flatten(temper: Temper): Temperament[] {
  return isSeveral(temper) ? temper.flatMap(flatten) : [temper];
}

function isSeveral(temper: Temper): temper is readonly Temper[] {
  return Array.isArray(temper);
}

/** Applied from last to first, so that the first temperament takes precedence. */
function extensionsOf(temperaments: readonly Temperament[]): string[] {
  return temperaments.reduceRight(
    (extensions, { extensions: change = {} }) => [
      ...extensions.filter((line) => !change.without?.includes(keywordOf(line))),
      ...(change.with ?? []).filter((line) => !extensions.includes(line)),
    ],
    DEFAULT_EXTENSIONS,
  );
}

function keywordOf(extension: string): string {
  return extension.split(" ", 1)[0] ?? "";
}

function firstOf<T, R>(list: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function askInTurn(
  temperaments: readonly Temperament[],
  stage: SmtpStage,
  session: ServerSession,
): Action | undefined {
  let delayMs = 0;
  for (const { on } of temperaments) {
    const action = on?.[stage]?.(session);
    if (action === undefined) continue;
    delayMs += action.delayMs ?? 0;
    if (answers(action)) return { ...action, delayMs };
  }
  return delayMs > 0 ? { delayMs } : undefined;
}

/** A delay alone is not an answer: the next temperament is called as well. */
export function answers(action: Action): boolean {
  return Boolean(action.reply ?? action.raw ?? action.endless ?? action.silent ?? action.close);
}
