/**
 * The made-up mailbox that tells a catch-all domain from an honest one.
 *
 * Pronounceable, so that no filter takes it for machine noise; stable for a domain and a week, so that a
 * greylisting server sees the same triplet again; different for every domain, so that nobody can list it.
 */
import { createHash } from "node:crypto";

const WEEK_MS = 7 * 24 * 3600 * 1000;
const CONSONANTS = "bdfgklmnprstvz";
const VOWELS = "aeiou";
const SYLLABLES = 5;

export function decoyName(domain: string, nowMs: number): string {
  const week = Math.floor(nowMs / WEEK_MS);
  const bytes = createHash("sha256").update(`${domain} ${week}`).digest();
  let name = "";
  for (let i = 0; i < SYLLABLES; i++) {
    name += CONSONANTS[bytes[2 * i]! % CONSONANTS.length]! + VOWELS[bytes[2 * i + 1]! % VOWELS.length]!;
  }
  return `${name}${10 + (bytes[30]! % 90)}`;
}
