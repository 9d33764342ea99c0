/**
 * Names of decoys: mailboxes that do not exist, whose acceptance shows that a domain is catch-all.
 *
 * The first style looks like a person's name, because some catch-all servers refuse random strings. Its family name is
 * invented. The second style is random consonants and digits.
 *
 * Both are stable for a domain and a week, so that a greylisting server sees the same triplet again, and different for
 * every domain, so that they cannot be listed. When decoys are sent is decided in probe-planner.ts.
 */
import { hash } from "node:crypto";

export type DecoyStyle = "name" | "random";

const WEEK_MS = 7 * 24 * 3600 * 1000;
const GIVEN_NAMES =
  "adam alice andrea carla carlos claire daniel david diana elena emma eric eva felix helen hugo ines irene jan julia karin laura leo lisa lucas maria marta martin monica nina oliver paul peter robert sara sofia thomas victor".split(
    " ",
  );
const CONSONANTS = "bdfgklmnprstvz";
const VOWELS = "aeiou";
const ENDINGS = "nsen ndez lski tti berg well ntova rsson kainen llard".split(" ");
const DIGITS = "0123456789";

/** `number`: 0 for the decoy of the domain; further ones are other names. */
export function decoyName(domain: string, nowMs: number, style: DecoyStyle = "name", number = 0): string {
  const week = Math.floor(nowMs / WEEK_MS);
  const seed = number === 0 ? `${domain} ${week} ${style}` : `${domain} ${week} ${style} ${number}`;
  const bytes = hash("sha256", seed, "buffer");
  let next = 0;
  const from = (choices: string | readonly string[]) => choices[bytes[next++]! % choices.length]!;
  const syllable = () => from(CONSONANTS) + from(VOWELS);
  if (style === "name") {
    return `${from(GIVEN_NAMES)}.${syllable()}${syllable()}${syllable()}${from(ENDINGS)}`;
  }
  return Array.from({ length: 12 }, (_, i) => from(i % 3 === 2 ? DIGITS : CONSONANTS)).join("");
}
