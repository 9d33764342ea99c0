/**
 * Any Unicode character, as the unit of `fc.string`. The same as its unit "binary", for which fast-check builds a table of
 * a million characters first: more than a second of CPU time.
 */
import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count));
