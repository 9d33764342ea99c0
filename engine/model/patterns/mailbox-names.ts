/** Local parts generated from a template. */

import type { Template } from "#src/plausibility/name-parser";
import type { Random } from "../random.ts";
import type { Person } from "./people.ts";

type NameTemplate = Exclude<Template, "other">;

export function mailboxName({ given, family }: Person, template: NameTemplate): string {
  return FORMS[template](given, family);
}

const FORMS: Record<NameTemplate, (given: string, family: string) => string> = {
  "first.last": (given, family) => `${given}.${family}`,
  flast: (given, family) => given[0] + family,
  first: (given) => given,
  "f.last": (given, family) => `${given[0]}.${family}`,
  firstl: (given, family) => given + family[0],
  firstlast: (given, family) => given + family,
  "last.first": (given, family) => `${family}.${given}`,
  lastf: (given, family) => family + given[0],
  last: (_, family) => family,
  first_last: (given, family) => `${given}_${family}`,
  "first-last": (given, family) => `${given}-${family}`,
};

/** Share of the simulated companies that use each. */
const SHARES: Record<NameTemplate, number> = {
  "first.last": 0.4,
  flast: 0.18,
  first: 0.14,
  "f.last": 0.06,
  firstl: 0.05,
  firstlast: 0.04,
  "last.first": 0.04,
  lastf: 0.03,
  last: 0.03,
  first_last: 0.02,
  "first-last": 0.01,
};

/** A template drawn by these shares, except `butNot`. */
export function drawTemplate(random: Random, butNot?: Template): NameTemplate {
  const choices = (Object.entries(SHARES) as [NameTemplate, number][]).filter(
    ([template]) => template !== butNot,
  );
  let left = random.unit() * choices.reduce((sum, [, share]) => sum + share, 0);
  for (const [template, share] of choices) {
    left -= share;
    if (left < 0) return template;
  }
  return choices.at(-1)![0];
}
