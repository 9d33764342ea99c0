/**
 * Quality of the merged list, as far as the lists themselves can tell: how much of one family's names it would
 * contain without that family, and which listed names should not be there.
 */

import { isBelieved, readSightings } from "./list-families.mjs";

/** Left out together: a family and what was copied from it. */
const HELD_OUT = {
  curated: ["curated", "newer", "mixture"],
  fakefilter: ["fakefilter", "newer", "mixture"],
  mailchecker: ["mailchecker", "newer", "mixture"],
  ivolo: ["ivolo", "tompec", "newer", "providerDomains", "mixture"],
  wesbos: ["wesbos", "providerDomains", "mixture"],
};

const MADE_OF_OTHERS = ["newer", "providerDomains", "mixture"];

export function printReport({ folder, families, organisations, verdicts, decide, witnessesOf }) {
  const listed = new Set(verdicts.get("listed"));
  const agreed = countAgreement(families);
  console.log("\nnames that several families have, and of them listed");
  for (const count of [2, 3]) {
    const names = [...agreed].filter(([, families]) => families >= count).map(([name]) => name);
    printShare(`${count} or more`, names, (name) => listed.has(name));
  }

  console.log("\nleft out | names it shares with another family | of them still listed");
  for (const [family, silent] of Object.entries(HELD_OUT)) {
    const heard = omit(families, silent);
    const own = silent.filter((name) => !MADE_OF_OTHERS.includes(name));
    const names = own.flatMap((name) => [...families[name]]);
    const shared = names.filter((name) => witnessesOf(name, omit(heard, ["providerDomains"])).length > 0);
    printShare(family, shared, (name) => decide(name, witnessesOf(name, heard)) === "listed");
  }

  const { takenAt, seen } = readSightings(folder);
  const days = (count) => takenAt - count * 86_400;
  const alive = seen.filter(({ lastseen }) => lastseen > days(30)).map(({ name }) => name);
  const young = seen.filter(({ firstseen }) => firstseen > days(90)).map(({ name }) => name);
  const withoutCrawler = omit(families, HELD_OUT.fakefilter);
  const isKnown = (name) =>
    parents(name).some((part) => decide(part, witnessesOf(part, withoutCrawler)) === "listed");
  console.log("\nwithout fakefilter, of what it saw");
  printShare("alive within 30 days", alive, isKnown);
  printShare("first seen within 90 days", young, isKnown);

  console.log("\norganisations that enough lists call disposable, and those still listed");
  for (const [source, names] of Object.entries(organisations)) {
    const accused = [...names].filter((name) => isBelieved(witnessesOf(name), name));
    console.log(
      `  ${source} (${names.size}): ${accused.length}, ${accused.filter((name) => listed.has(name)).join(" ") || "none"}`,
    );
  }
  for (const verdict of ["protected", "allowed elsewhere", "organisation", "public suffix"]) {
    console.log(`\n${verdict}: ${(verdicts.get(verdict) ?? []).sort().join(" ")}`);
  }
}

/** tompec continues ivolo, and derived lists do not count. */
function countAgreement({ curated, fakefilter, mailchecker, ivolo, tompec, wesbos }) {
  const counts = new Map();
  for (const voice of [curated, fakefilter, mailchecker, new Set([...ivolo, ...tompec]), wesbos]) {
    for (const name of voice) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function printShare(what, names, holds) {
  const held = names.filter(holds).length;
  console.log(`  ${what}: ${held} of ${names.length} = ${((100 * held) / names.length).toFixed(1)} %`);
}

function omit(families, silent) {
  return Object.fromEntries(Object.entries(families).filter(([family]) => !silent.includes(family)));
}

function parents(name) {
  const labels = name.split(".");
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
}
