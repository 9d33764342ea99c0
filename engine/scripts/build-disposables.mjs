/**
 * Builds data/disposable-domains.txt from the lists in npm packages.
 *
 *   npx tsx engine/scripts/build-disposables.mjs FOLDER [--report]
 *
 * FOLDER is where the packages named in data/README.md are installed; they are not dependencies. With --report
 * nothing is written: it prints what README.md quotes.
 */

import { writeFileSync } from "node:fs";
import { getPublicSuffix } from "tldts";
import { domainListBytes, isListableName } from "../src/reference/domain-list.ts";
import { describeList } from "../src/reference/list-manifest.ts";
import { isProtectedDomain } from "../src/reference/protected-domains.ts";
import { describeFamilies, isBelieved, isReviewed, readFamilies } from "./list-families.mjs";
import { printReport } from "./list-report.mjs";
import { readOrganisations } from "./organisations.mjs";

const DATA = new URL("../data/", import.meta.url);

const [folder, flag] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: build-disposables.mjs FOLDER [--report]");
  process.exit(2);
}

const { families, allowedElsewhere } = readFamilies(folder);
const organisations = readOrganisations(folder);

/** Objections to a name, in order, and the evidence that overrides each. */
const OBJECTIONS = [
  ["no domain name", (name) => !isListableName(name), never],
  ["public suffix", (name) => getPublicSuffix(name, { allowPrivateDomains: true }) === name, never],
  ["protected", isProtectedDomain, never],
  ["allowed elsewhere", (name) => allowedElsewhere.has(name), isReviewed],
  ["organisation", (name) => Object.values(organisations).some((known) => known.has(name)), isReviewed],
  ["academic ending", (name) => /\.(?:edu|ac)\.[a-z]{2}$/.test(name), isReviewed],
  // Names this short were registered and in use long before disposable services existed.
  ["very short", (name) => /^[a-z0-9]{1,3}\.(?:com|net|org)$/.test(name), isReviewed],
  ["short", (name) => /^[a-z]{4}\.(?:com|net|org)$/.test(name), hasCompany],
  // Disposable services buy cheap TLDs; a single entry under these is more often an ordinary domain.
  ["settled ending", (name) => SETTLED_ENDING.test(name), hasCompany],
  ["reads like an institution", (name) => INSTITUTION.test(name), hasCompany],
];

const SETTLED_ENDING = /\.(?:org|at|au|be|br|ca|ch|cz|de|dk|es|fi|fr|ie|it|jp|kr|nl|no|nz|pt|se|uk|za)$/;

const INSTITUTION =
  /school|college|academy|universi|hospital|clinic|dental|church|parish|ministr|museum|library|diocese|police|county|statebar|council|embassy|foundation|chamber/;

function never() {
  return false;
}

function hasCompany(witnesses) {
  const others = witnesses.filter((family) => family !== "mixture"); // which repeats the others
  return others.length > 1 || isReviewed(witnesses);
}

/** The rule, for any choice of sources, so that the report can leave one out. */
function decide(name, witnesses) {
  if (!isBelieved(witnesses, name)) return "not believed";
  const objection = OBJECTIONS.find(([, applies, isOutweighed]) => applies(name) && !isOutweighed(witnesses));
  return objection === undefined ? "listed" : objection[0];
}

function witnessesOf(name, heard = families) {
  return Object.keys(heard).filter((family) => heard[family].has(name));
}

const candidates = new Set(Object.values(families).flatMap((names) => [...names]));
const verdicts = new Map([["listed", []]]);
for (const name of candidates) {
  const verdict = decide(name, witnessesOf(name));
  if (!verdicts.has(verdict)) verdicts.set(verdict, []);
  verdicts.get(verdict).push(name);
}
const listed = withoutShadowed(verdicts.get("listed"));

console.log(`${candidates.size} candidates, ${listed.length} listed`);
for (const [verdict, names] of verdicts)
  if (verdict !== "listed") console.log(`  ${verdict}: ${names.length}`);

if (flag === "--report") printReport({ folder, families, organisations, verdicts, decide, witnessesOf });
else write();

/** A listed domain covers its subdomains. */
function withoutShadowed(names) {
  const all = new Set(names);
  return names.filter((name) => {
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      if (all.has(name.slice(dot + 1))) return false;
    }
    return true;
  });
}

function write() {
  const bytes = domainListBytes(listed);
  const manifest = {
    madeAt: `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`,
    file: "disposable-domains.txt",
    names: listed.length,
    sha256: describeList(bytes).sha256,
    sources: describeFamilies(folder, families),
  };
  writeFileSync(new URL("disposable-domains.txt", DATA), bytes);
  writeFileSync(new URL("disposable-domains.json", DATA), `${JSON.stringify(manifest, undefined, 2)}\n`);
  console.log(`wrote ${bytes.length} bytes`);
}
