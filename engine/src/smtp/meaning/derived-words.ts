/**
 * Required words (required-words.ts) of each line of the tables; null: none. Deriving them takes most of the time that
 * compiling the tables takes, so the bundled programs have them from the start: scripts/bundle.mjs fills this in.
 */
export const DERIVED_WORDS = new Map<string, readonly string[] | null>([]);
