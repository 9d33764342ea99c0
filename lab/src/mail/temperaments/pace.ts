/** Temperaments about time: slow answers, answers in crumbs, no answer at all. */
import type { Stage, Temperament } from "../temperament.ts";

/** Thinks before every reply, the banner included; with `at`, before those of one stage. */
export const answersSlowly = (options: { delayMs: number; at?: Stage }): Temperament => {
  const think = () => ({ delayMs: options.delayMs });
  return { on: options.at === undefined ? { banner: think, command: think } : { [options.at]: think } };
};

/** Stutters: one byte, a long pause, the next byte. */
export const tarpit = (options: { gapMs: number }): Temperament => ({
  pace: { pieceBytes: 1, gapMs: options.gapMs },
});

/** Every byte in a packet of its own, as fast as they will go. */
export const splitsReplies: Temperament = { pace: { pieceBytes: 1, gapMs: 0 } };

/** Hears and says nothing. */
export const saysNothing = (options: { at: Stage }): Temperament => ({
  on: { [options.at]: () => ({ silent: true }) },
});

/** As postscreen does: half a banner, a pause to see who cannot wait, the other half. */
export const pausesMidBanner = (options: { pauseMs: number }): Temperament => ({
  on: {
    banner: (visit) => ({
      raw: Buffer.from(`220-${visit.say("banner").slice("220 ".length)}\r\n`),
      next: { delayMs: options.pauseMs, reply: visit.say("banner") },
    }),
  },
});
