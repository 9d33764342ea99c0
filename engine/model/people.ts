/**
 * Generates local parts as people and companies form them from names, words and roles: first.last, flast, first and a
 * year.
 */
import type { NameStock } from "./corpus.ts";
import type { Random } from "./random.ts";

export function personLocalPart({ given, family }: NameStock, random: Random): string {
  // Half of all people have one of the common names, which come first or are drawn repeatedly elsewhere.
  const first = random.pick(given.length > 0 ? given : family);
  const last = random.pick(family.length > 0 ? family : given);
  return dated(shaped(first, last, random), random);
}

/** Combines a first and a last name (or substitutes for them). */
export function shaped(first: string, last: string, random: Random): string {
  const dice = random.unit();
  for (const [upTo, shape] of SHAPES) if (dice < upTo) return shape(first, last, random);
  return first;
}

const SEPARATORS = [".", ".", ".", "_", "-"];

const SHAPES: readonly (readonly [
  upTo: number,
  shape: (first: string, last: string, random: Random) => string,
])[] = [
  [0.2, (first, last, random) => first + random.pick(SEPARATORS) + last],
  [0.32, (first, last) => first[0] + last],
  [0.38, (first, last, random) => first[0]! + random.pick(SEPARATORS) + last],
  [0.52, (first) => first],
  [0.58, (first, last) => first + last[0]],
  [0.72, (first, last) => first + last],
  [0.78, (first, last, random) => last + random.pick(SEPARATORS) + first],
  [0.81, (first, last) => last + first[0]],
  [0.86, (_, last) => last],
  [0.89, (first, last) => last + first],
  [0.92, (first, last, random) => `${first}${random.pick(SEPARATORS)}${last[0]}`],
  [0.94, (first, last, random) => first[0]! + String.fromCharCode(97 + random.below(26)) + last],
  [0.97, (first, last) => first.slice(0, 4) + last.slice(0, 4)],
  [1, (first, last, random) => `${first}.${String.fromCharCode(97 + random.below(26))}.${last}`],
];

/** A fifth of all people add digits. */
export function dated(name: string, random: Random): string {
  const dice = random.unit();
  if (dice < 0.78) return name;
  if (dice < 0.84) return name + random.between(1, 9);
  if (dice < 0.91) return name + String(random.between(0, 99)).padStart(2, "0");
  if (dice < 0.95) return name + random.between(1950, 2012);
  if (dice < 0.97) return name + random.between(100, 999);
  if (dice < 0.98) return `${name}.${random.between(1, 99)}`;
  if (dice < 0.99) return `${name}_${random.between(70, 99)}`;
  return name + random.between(1000, 9999);
}

/** sales, sales.berlin, info-team, newsletter2026. */
export function officeLocalPart(roles: readonly string[], words: readonly string[], random: Random): string {
  const role = random.pick(roles);
  const dice = random.unit();
  if (dice < 0.4) return role;
  if (dice < 0.55) return `${role}${random.pick([".", "-", "_", ""])}${random.pick(words)}`;
  if (dice < 0.7) return `${random.pick(words)}${random.pick([".", "-", "_", ""])}${role}`;
  if (dice < 0.8) return `${role}${random.pick([".", "-", ""])}${random.pick(COUNTRIES)}`;
  if (dice < 0.9) return `${role}${random.between(1, 30)}`;
  return `${role}-${random.pick(roles)}`;
}

const COUNTRIES =
  "uk us usa de fr it es nl be ch at pl cz se no dk fi ie pt br mx in jp cn kr au nz za ae sg hk ca tr emea apac eu".split(
    " ",
  );

export function wordLocalPart(words: readonly string[], random: Random): string {
  const dice = random.unit();
  if (dice < 0.4) return dated(random.pick(words), random);
  if (dice < 0.8) return dated(random.pick(words) + random.pick(words), random);
  return dated(random.pick(words) + random.pick(SEPARATORS) + random.pick(words), random);
}
