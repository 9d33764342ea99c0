/**
 * Coalesces the emails of a list into bulk requests and sends a few of them concurrently. A duplicate shares the
 * batch of its first occurrence. After the first failure nothing more is sent.
 */
import type { BulkItem, BulkSummary } from "@mailvet/contract";
import { foreignResponse } from "./errors.ts";

export type SendBulk = (emails: string[], signal: AbortSignal) => Promise<BulkSummary>;

const EMAILS_PER_REQUEST = 1000;
const BYTES_PER_REQUEST = 512 * 1024;
const CONCURRENT_REQUESTS = 4;
export const MAX_EMAILS_IN_FLIGHT = CONCURRENT_REQUESTS * EMAILS_PER_REQUEST;
/** How long a batch that is not full waits for more emails. */
const LINGER_MS = 250;
/** Duplicates are detected within the last 50,000 to 100,000 unique emails; later ones are sent again. */
const DEDUPLICATED_EMAILS = 50_000;

/** Emails of one bulk request. */
export type BulkBatch = {
  emails: string[];
  sizeBytes: number;
  /** Full, or lingered long enough. */
  isDue: boolean;
  /** Results by normalized email; missing after a failure. */
  items: Promise<Items>;
  settle: (items: Items) => void;
};

type Items = Map<string, BulkItem>;
const NO_ITEMS: Items = new Map();

export type BulkCoalescer = {
  /** The first failure. */
  readonly failure: { error: unknown } | undefined;
  /** Adds the email to a batch, or finds the batch of an earlier duplicate. */
  add(email: string): { key: string; batch: BulkBatch };
  /** Sends incomplete batches, because no more emails follow. */
  flush(): void;
  /** Aborts waiting and in-flight requests. */
  close(reason: unknown): void;
};

export function createBulkCoalescer(
  sendBulk: SendBulk,
  onResult: ((item: BulkItem) => void) | undefined,
): BulkCoalescer {
  const controller = new AbortController();
  // Two generations, because repeatedly deleting the oldest key of a large Map is slow in V8.
  let recent = new Map<string, BulkBatch>();
  let previous = recent;
  const waiting: BulkBatch[] = []; // only the last one may have room
  let inFlight = 0;
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let failure: BulkCoalescer["failure"];

  const sendBatch = async (batch: BulkBatch) => {
    inFlight++;
    const items: Items = new Map();
    const store = (email: string, item: BulkItem) => {
      items.set(keyOf(email), item);
      onResult?.(item);
    };
    try {
      await fetchItems(batch.emails, sendBulk, controller.signal, store);
    } catch (error) {
      failure ??= { error };
    }
    batch.settle(items);
    inFlight--;
    send();
  };

  const send = () => {
    if (failure) for (const batch of waiting.splice(0)) batch.settle(NO_ITEMS);
    while (inFlight < CONCURRENT_REQUESTS && (waiting.length > 1 || waiting[0]?.isDue))
      void sendBatch(waiting.shift()!);
  };

  const flush = () => {
    clearTimeout(lingering);
    for (const batch of waiting) batch.isDue = true;
    send();
  };

  const roomFor = (sizeBytes: number): BulkBatch => {
    const last = waiting.at(-1);
    if (last && last.emails.length < EMAILS_PER_REQUEST && last.sizeBytes + sizeBytes <= BYTES_PER_REQUEST)
      return last;
    const batch = openBatch();
    waiting.push(batch);
    clearTimeout(lingering);
    lingering = setTimeout(flush, LINGER_MS);
    return batch;
  };

  return {
    get failure() {
      return failure;
    },
    add(email) {
      const key = keyOf(email);
      const earlier = recent.get(key) ?? previous.get(key);
      if (earlier) return { key, batch: earlier };
      const sizeBytes = encoder.encode(JSON.stringify(email)).length + 1;
      const batch = roomFor(sizeBytes);
      batch.emails.push(email);
      batch.sizeBytes += sizeBytes;
      if (batch.emails.length === EMAILS_PER_REQUEST) batch.isDue = true;
      if (recent.size >= DEDUPLICATED_EMAILS) [previous, recent] = [recent, new Map()];
      recent.set(key, batch);
      send();
      return { key, batch };
    },
    flush,
    close(reason) {
      failure ??= { error: reason };
      controller.abort(reason);
      flush();
    },
  };
}

const encoder = new TextEncoder();

function openBatch(): BulkBatch {
  let settle: BulkBatch["settle"] = () => {};
  const items = new Promise<Items>((resolve) => {
    settle = resolve;
  });
  return { emails: [], sizeBytes: 0, isDue: false, items, settle };
}

/**
 * The service treats emails with the same key as duplicates. It ignores only these blanks around an address: with another, such as
 * a no-break space, it is a different email.
 */
function keyOf(email: string): string {
  return email
    .replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "")
    .normalize("NFC")
    .toLowerCase();
}

async function fetchItems(
  emails: string[],
  sendBulk: SendBulk,
  signal: AbortSignal,
  store: (email: string, item: BulkItem) => void,
): Promise<void> {
  const { results } = await sendBulk(emails, signal);
  const duplicates: string[] = [];
  let next = 0;
  for (const email of emails) {
    // Results follow the order of the emails. With fewer results than emails, an email without one is a duplicate.
    const isDuplicate = results.length < emails.length && results[next]?.email !== email;
    if (isDuplicate) duplicates.push(email);
    else store(email, results[next++]!);
  }
  if (next !== results.length) throw foreignResponse("the results do not match the emails");

  // The service knows more spellings of a mailbox than this client ("ann"@… is ann@…) and does not say which email
  // is the original, so duplicates are sent one by one.
  for (const email of duplicates) {
    const [item] = (await sendBulk([email], signal)).results;
    if (!item) throw foreignResponse("a result is missing");
    store(email, item);
  }
}
