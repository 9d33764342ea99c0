/** A thousand mailboxes at every server, as many missing ones, and lists made of both. */
import { createHash } from "node:crypto";

const FIRST_NAMES =
  "ann ben carla david emma frank grace henry irene jack karen liam maria nora oscar paula ralph susan tom vera";
const LAST_NAMES =
  "baker cole dixon ellis fisher grant hughes irving jenkins keller lawson morgan nolan owens porter quinn " +
  "reed shaw turner usher vaughn walsh york zeller abbott barnes carter drake evans flynn garner holt ingram " +
  "jarvis knight lambert mercer norris olsen palmer ramsey slater tucker underhill vance weaver yates adler " +
  "bishop conway";

const people = LAST_NAMES.split(" ").flatMap((last) =>
  FIRST_NAMES.split(" ").map((first) => `${first}.${last}`),
);

/** Login names that exist on every machine. */
export const MAILBOXES: readonly string[] = people;

/** Plausible names without a mailbox. */
export const MISSING_MAILBOXES: readonly string[] = people.map((name) => name.replace(".", "-"));

/** The same list in a fixed pseudo-random order. */
export function shuffled(list: readonly string[]): string[] {
  const rank = (text: string) => createHash("sha256").update(text).digest("hex");
  return [...list].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}
