/**
 * Sorts the emails of a list into bulk requests and sends them, a few at once. An email that was seen before goes with
 * the request it went with then. After the first failure nothing more is sent.
 */
import type { BulkItem, BulkSummary } from "@mailvet/contract";
import { MailvetUnreachable } from "./failure.ts";

export type AskBulk = (emails: string[], signal: AbortSignal) => Promise<BulkSummary>;

const EMAILS_PER_REQUEST = 1000;
const BYTES_PER_REQUEST = 512 * 1024;
const REQUESTS_AT_ONCE = 4;
export const EMAILS_AT_ONCE = REQUESTS_AT_ONCE * EMAILS_PER_REQUEST;
/** How long a request that is not full waits for more emails. */
const LINGER_MS = 250;
/** At least this many emails, and at most twice as many, are remembered; a repetition after more is asked again. */
const EMAILS_REMEMBERED = 50_000;

/** Emails that travel together. */
export type BulkRequest = {
  emails: string[];
  sizeBytes: number;
  /** Full, or has waited long enough. */
  isDue: boolean;
  /** Verdicts by the name of the email; those that could not be had are missing. */
  items: Promise<Items>;
  settle: (items: Items) => void;
};

type Items = Map<string, BulkItem>;
const NO_ITEMS: Items = new Map();

export type Desk = {
  /** The first thing that went wrong. */
  readonly failure: { error: unknown } | undefined;
  /** Finds the request that an email travels with: a new one, or that of the same email before. */
  take(email: string): { name: string; request: BulkRequest };
  /** There will be no more emails to wait for. */
  sendAll(): void;
  /** Gives up what is waiting and under way. */
  close(reason: unknown): void;
};

export function openDesk(ask: AskBulk, onResult: ((item: BulkItem) => void) | undefined): Desk {
  const controller = new AbortController();
  // Two generations, because taking the oldest out of one large Map again and again is slow in V8.
  let asked = new Map<string, BulkRequest>();
  let askedEarlier = asked;
  const waiting: BulkRequest[] = []; // the last one may still have room
  let underWay = 0;
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let failure: Desk["failure"];

  const work = async (request: BulkRequest) => {
    underWay++;
    const items: Items = new Map();
    const keep = (email: string, item: BulkItem) => {
      items.set(nameOf(email), item);
      onResult?.(item);
    };
    try {
      await fetchItems(request.emails, ask, controller.signal, keep);
    } catch (error) {
      failure ??= { error };
    }
    request.settle(items);
    underWay--;
    send();
  };

  const send = () => {
    if (failure) for (const request of waiting.splice(0)) request.settle(NO_ITEMS);
    while (underWay < REQUESTS_AT_ONCE && (waiting.length > 1 || waiting[0]?.isDue))
      void work(waiting.shift()!);
  };

  const sendAll = () => {
    clearTimeout(lingering);
    for (const request of waiting) request.isDue = true;
    send();
  };

  const roomFor = (sizeBytes: number): BulkRequest => {
    const last = waiting.at(-1);
    if (last && last.emails.length < EMAILS_PER_REQUEST && last.sizeBytes + sizeBytes <= BYTES_PER_REQUEST)
      return last;
    const fresh = openRequest();
    waiting.push(fresh);
    clearTimeout(lingering);
    lingering = setTimeout(sendAll, LINGER_MS);
    return fresh;
  };

  return {
    get failure() {
      return failure;
    },
    take(email) {
      const name = nameOf(email);
      const earlier = asked.get(name) ?? askedEarlier.get(name);
      if (earlier) return { name, request: earlier };
      const sizeBytes = encoder.encode(JSON.stringify(email)).length + 1;
      const request = roomFor(sizeBytes);
      request.emails.push(email);
      request.sizeBytes += sizeBytes;
      if (request.emails.length === EMAILS_PER_REQUEST) request.isDue = true;
      if (asked.size >= EMAILS_REMEMBERED) [askedEarlier, asked] = [asked, new Map()];
      asked.set(name, request);
      send();
      return { name, request };
    },
    sendAll,
    close(reason) {
      failure ??= { error: reason };
      controller.abort(reason);
      sendAll();
    },
  };
}

const encoder = new TextEncoder();

function openRequest(): BulkRequest {
  let settle: BulkRequest["settle"] = () => {};
  const items = new Promise<Items>((resolve) => {
    settle = resolve;
  });
  return { emails: [], sizeBytes: 0, isDue: false, items, settle };
}

/** Emails of the same name are the same to the service. */
function nameOf(email: string): string {
  return email.trim().normalize("NFC").toLowerCase();
}

async function fetchItems(
  emails: string[],
  ask: AskBulk,
  signal: AbortSignal,
  keep: (email: string, item: BulkItem) => void,
): Promise<void> {
  const { results } = await ask(emails, signal);
  const twins: string[] = [];
  let next = 0;
  for (const email of emails) {
    // As many results as emails: they belong together one by one. Fewer: those that have none are twins of others.
    const isTwin = results.length < emails.length && results[next]?.email !== email;
    if (isTwin) twins.push(email);
    else keep(email, results[next++]!);
  }
  if (next !== results.length) throw notOurs("the results do not belong to the emails that were sent");

  // The service knows more spellings of one mailbox than we do ("ann"@… is ann@…), and does not say whose twin it is.
  for (const email of twins) {
    const [item] = (await ask([email], signal)).results;
    if (!item) throw notOurs("there is no result for an email that was sent");
    keep(email, item);
  }
}

const notOurs = (why: string) => new MailvetUnreachable("odd_answer", `The answer is not Mailvet's: ${why}`);
