/** Hostile servers: disconnects, floods, garbage. */
import type { Action, ServerSession, SmtpStage, Temperament } from "../temperament.ts";

/** An earlier reset would look like a failed connect to the client. */
const AFTER_CONNECT_MS = 10;

/** Closes the connection without a reply: once connected, after the banner, EHLO or MAIL, or after a number of RCPTs. */
export function hangsUp(options: {
  after: "connect" | "banner" | "ehlo" | "mail" | { recipients: number };
  mode?: NonNullable<Action["close"]>;
}): Temperament {
  const { after, mode: close = "politely" } = options;
  if (after === "connect") return { on: { banner: () => ({ delayMs: AFTER_CONNECT_MS, close }) } };
  if (after === "banner") return { on: { banner: (session) => ({ reply: session.reply("banner"), close }) } };
  const isTime = (session: ServerSession) => {
    if (after === "ehlo") return session.greeting !== undefined;
    if (after === "mail") return session.sender !== undefined;
    return session.recipientsAsked >= after.recipients;
  };
  return { on: { answered: (session) => (isTime(session) ? { close } : undefined) } };
}

/** Endless banner of continuation lines. */
export const endlessBanner: Temperament = {
  on: { banner: () => ({ endless: Buffer.from("220-Welcome, and please read on\r\n".repeat(500)) }) },
};

/** Endless reply of one line. */
export const endlessLine = (options: { at: SmtpStage }): Temperament => ({
  on: { [options.at]: () => ({ endless: Buffer.from(`250 ${"x".repeat(16_380)}`) }) },
});

/** Valid reply with a very long line. */
export const hugeLines = (options: { at: SmtpStage; lineBytes: number; code?: number }): Temperament => ({
  on: { [options.at]: () => ({ reply: `${options.code ?? 250} ${"x".repeat(options.lineBytes)}` }) },
});

/** Bytes of every value, including line breaks. */
export const binaryGarbage = (options: { at: SmtpStage; sizeBytes?: number }): Temperament => ({
  on: { [options.at]: () => ({ raw: garbage(options.sizeBytes ?? 4_096) }) },
});

/** Deterministic. */
function garbage(sizeBytes: number): Uint8Array {
  return Uint8Array.from({ length: sizeBytes }, (_, index) => (index * 167 + (index >> 8) * 13 + 7) % 256);
}
