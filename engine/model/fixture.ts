/**
 * A small part of the test sets, committed so that the unit tests can check the model's figures without downloads
 * (name-model.test.ts reads it): people with names, and kinds of fakes, that training never saw.
 */
import { writeFileSync } from "node:fs";
import { LANGUAGE_GROUPS } from "./cultures.ts";
import { FAKE_KINDS } from "./fakes.ts";
import type { TestSets } from "./test-sets.ts";

const FILE = new URL("held-out.txt", import.meta.url);
const PER_GROUP = 70;
const PER_KIND = 140;

export function writeFixture(sets: TestSets): void {
  const lines: string[] = [];
  const add = (label: string, group: string, locals: readonly string[]) => {
    lines.push(`${label}\t${group}\t${locals.join(" ")}`);
  };
  for (const [group, cultures] of Object.entries(LANGUAGE_GROUPS)) {
    const each = Math.ceil(PER_GROUP / cultures.length);
    add(
      "chosen",
      group,
      cultures.flatMap((culture) => (sets.names.get(culture) ?? []).slice(0, each)),
    );
  }
  for (const [kind, locals] of sets.fakes) {
    const { family, trained } = FAKE_KINDS[kind]!;
    if (!trained && family !== "spliced") add(family, kind, locals.slice(0, PER_KIND));
  }
  writeFileSync(FILE, `${lines.join("\n")}\n`);
}
