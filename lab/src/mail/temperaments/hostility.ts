/** Temperaments no client should have to bear, and every client will meet: cut lines, floods, nonsense. */
import type { Action, Stage, Temperament, Visit } from "../temperament.ts";

/** A reset that overtakes the TCP handshake would be a failed connect, which is another story. */
const AFTER_CONNECT_MS = 10;

/** Hangs up without a word: once connected, after the banner, EHLO or MAIL, or after so many RCPTs. */
export function hangsUp(options: {
  after: "connect" | "banner" | "ehlo" | "mail" | { recipients: number };
  manner?: NonNullable<Action["close"]>;
}): Temperament {
  const { after, manner: close = "politely" } = options;
  if (after === "connect") return { on: { banner: () => ({ delayMs: AFTER_CONNECT_MS, close }) } };
  if (after === "banner") return { on: { banner: (visit) => ({ reply: visit.say("banner"), close }) } };
  const isTime = (visit: Visit) => {
    if (after === "ehlo") return visit.greeting !== undefined;
    if (after === "mail") return visit.sender !== undefined;
    return visit.recipientsAsked >= after.recipients;
  };
  return { on: { answered: (visit) => (isTime(visit) ? { close } : undefined) } };
}

/** A banner of continuation lines that never comes to its end. */
export const endlessBanner: Temperament = {
  on: { banner: () => ({ endless: Buffer.from("220-Welcome, and please read on\r\n".repeat(500)) }) },
};

/** A reply of one line that never comes to its end. */
export const endlessLine = (options: { at: Stage }): Temperament => ({
  on: { [options.at]: () => ({ endless: Buffer.from(`250 ${"x".repeat(16_380)}`) }) },
});

/** A reply in order, but for the length of its one line. */
export const hugeLines = (options: { at: Stage; lineBytes: number; code?: number }): Temperament => ({
  on: { [options.at]: () => ({ reply: `${options.code ?? 250} ${"x".repeat(options.lineBytes)}` }) },
});

/** Bytes of every value, with line breaks among them, that are no reply. */
export const binaryGarbage = (options: { at: Stage; sizeBytes?: number }): Temperament => ({
  on: { [options.at]: () => ({ raw: garbage(options.sizeBytes ?? 4_096) }) },
});

/** The same garbage every time. */
function garbage(sizeBytes: number): Uint8Array {
  return Uint8Array.from({ length: sizeBytes }, (_, index) => (index * 167 + (index >> 8) * 13 + 7) % 256);
}
