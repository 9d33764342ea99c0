/** Slow, fragmented and missing replies. */
import type { SmtpStage, Temperament } from "../temperament.ts";

/** Delays every reply including the banner, or those of one stage with `at`. */
export const answersSlowly = (options: { delayMs: number; at?: SmtpStage }): Temperament => {
  const delay = () => ({ delayMs: options.delayMs });
  return { on: options.at === undefined ? { banner: delay, command: delay } : { [options.at]: delay } };
};

/** One byte at a time, with a gap. */
export const tarpit = (options: { gapMs: number }): Temperament => ({
  pace: { chunkBytes: 1, gapMs: options.gapMs },
});

/** Every byte in its own packet, without a gap. */
export const splitsReplies: Temperament = { pace: { chunkBytes: 1, gapMs: 0 } };

/** Never replies at this stage. */
export const saysNothing = (options: { at: SmtpStage }): Temperament => ({
  on: { [options.at]: () => ({ silent: true }) },
});

/** Sends the banner once this event has happened. */
export const greetsAfter = (event: Promise<unknown>): Temperament => ({
  on: { banner: (session) => ({ until: event, reply: session.reply("banner") }) },
});

/** Like postscreen: half a banner, a pause to detect clients that do not wait, the other half. */
export const pausesMidBanner = (options: { pauseMs: number } | { until: Promise<unknown> }): Temperament => ({
  on: {
    banner: (session) => ({
      raw: Buffer.from(`220-${session.reply("banner").slice("220 ".length)}\r\n`),
      next: {
        ...("until" in options ? options : { delayMs: options.pauseMs }),
        reply: session.reply("banner"),
      },
    }),
  },
});
