/**
 * A temperament: how one mail server of the lab departs from a plain, polite one.
 *
 * Plain data (words, extensions, TLS, pace of writing) and small functions asked at each stage of the
 * conversation. Temperaments compose in order: delays add up, the first that answers is the answer, and
 * what nobody answers is answered by ordinary-server.ts.
 */
import type { Mailbox, Truth } from "./mailboxes.ts";
import { ORDINARY_WORDS, type Words } from "./words.ts";

export type Temperament = {
  /** Sentences said instead of the ordinary ones. */
  readonly words?: Partial<Words>;
  /** What is true of a mailbox here, where this temperament knows better than the list of users. */
  readonly mailbox?: (mailbox: Mailbox) => Truth | undefined;
  /** EHLO keywords taken away from and added to the ordinary ones. */
  readonly extensions?: { readonly without?: readonly string[]; readonly with?: readonly string[] };
  /** STARTTLS is offered, and this is how it goes. */
  readonly tls?: TlsManner;
  /** Replies leave in pieces of this size with this pause between them. */
  readonly pace?: Pace;
  /** A client that is silent for so long is sent away. */
  readonly idleMs?: number;
  readonly on?: { readonly [S in Stage]?: (visit: Visit) => Action | undefined };
};

/** One temperament, or several of which the first has the first word. */
export type Temper = Temperament | readonly Temper[];

/**
 * When a temperament is asked: at the banner, at any command, at one command, and at "answered", after
 * a reply was said (`visit.refusals` then counts it).
 */
export type Stage = "banner" | "command" | "answered" | CommandStage;
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

export type TlsManner = "self_signed" | "expired" | "obsolete" | "garbled" | "silent";
export type Pace = { readonly pieceBytes: number; readonly gapMs: number };

/** What the server does next: wait, then speak (or stay silent), then perhaps leave. */
export type Action = {
  readonly delayMs?: number;
  /** Whole reply without the last line break, "\n" between lines, each line with its code. */
  readonly reply?: string;
  /** Bytes that need not be a reply at all. */
  readonly raw?: Uint8Array;
  /** The same bytes over and over until the client leaves (or 256 MiB have gone). */
  readonly endless?: Uint8Array;
  /** Heard, and not answered. */
  readonly silent?: true;
  readonly close?: "politely" | "abruptly";
  /** Something more to do before leaving or listening again. */
  readonly next?: Action;
};

/** One client's stay, as a temperament sees it. */
export type Visit = {
  /** 1 for the first client of this server. */
  readonly number: number;
  readonly client: string;
  readonly secure: boolean;
  readonly greeting: string | undefined;
  readonly sender: string | undefined;
  /** The present MAIL declared SMTPUTF8. */
  readonly smtpUtf8: boolean;
  /** Accepted in this transaction. */
  readonly recipients: readonly string[];
  /** RCPT commands in this visit, the present one included, whatever their fate. */
  readonly recipientsAsked: number;
  /** Replies of 400 and above in this visit. */
  readonly refusals: number;
  /** The present command came before our reply to the one before it. */
  readonly early: boolean;
  /** The address in the present MAIL or RCPT, "" otherwise. */
  readonly address: string;
  truth(address: string): Truth | undefined;
  say(word: keyof Words): string;
};

/** Several temperaments as one. */
export type Character = {
  readonly words: Words;
  readonly extensions: readonly string[];
  readonly tls: TlsManner | undefined;
  readonly pace: Pace | undefined;
  readonly idleMs: number;
  mailbox(mailbox: Mailbox): Truth | undefined;
  ask(stage: Stage, visit: Visit): Action | undefined;
};

const ORDINARY_EXTENSIONS = [
  "PIPELINING",
  "SIZE 35651584",
  "ENHANCEDSTATUSCODES",
  "8BITMIME",
  "DSN",
  "SMTPUTF8",
];
const ORDINARY_IDLE_MS = 300_000;

export function compose(temper: Temper): Character {
  const temperaments = flatten(temper);
  return {
    words: Object.assign({}, ORDINARY_WORDS, ...temperaments.map((one) => one.words).reverse()),
    extensions: extensionsOf(temperaments),
    tls: temperaments.find((one) => one.tls)?.tls,
    pace: temperaments.find((one) => one.pace)?.pace,
    idleMs: temperaments.find((one) => one.idleMs)?.idleMs ?? ORDINARY_IDLE_MS,
    mailbox: (mailbox) => firstOf(temperaments, (one) => one.mailbox?.(mailbox)),
    ask: (stage, visit) => askInTurn(temperaments, stage, visit),
  };
}

export function flatten(temper: Temper): Temperament[] {
  return isSeveral(temper) ? temper.flatMap(flatten) : [temper];
}

function isSeveral(temper: Temper): temper is readonly Temper[] {
  return Array.isArray(temper);
}

/** The last temperament builds the list and the first has the last word on it. */
function extensionsOf(temperaments: readonly Temperament[]): string[] {
  return temperaments.reduceRight(
    (extensions, { extensions: change = {} }) => [
      ...extensions.filter((line) => !change.without?.includes(keywordOf(line))),
      ...(change.with ?? []).filter((line) => !extensions.includes(line)),
    ],
    ORDINARY_EXTENSIONS,
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

function askInTurn(temperaments: readonly Temperament[], stage: Stage, visit: Visit): Action | undefined {
  let delayMs = 0;
  for (const { on } of temperaments) {
    const action = on?.[stage]?.(visit);
    if (action === undefined) continue;
    delayMs += action.delayMs ?? 0;
    if (answers(action)) return { ...action, delayMs };
  }
  return delayMs > 0 ? { delayMs } : undefined;
}

/** A bare delay is a mood, not an answer: the next temperament is asked as well. */
export function answers(action: Action): boolean {
  return Boolean(action.reply ?? action.raw ?? action.endless ?? action.silent ?? action.close);
}
