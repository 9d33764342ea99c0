/**
 * How often a mistyped domain is corrected by the other domains of the list, and how often a correct but dead domain
 * is "corrected" as well; compared with a simple rule that takes any domain with as many mailboxes one edit away. The
 * domains are scopes of npm packages, most of which are organisations, with a TLD.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suggestDomain } from "#src/address/suggestion";
import { suggestKnownDomain } from "#src/plausibility/domain-typo";
import { typoCandidates } from "#src/plausibility/typo-candidates";
import { packageFolder } from "../packages.ts";
import { createRandom, shuffle } from "../random.ts";
import { withSlip } from "./key-typos.ts";

const ASKED = 2000;
const SIZES = [1000, 10_000, 100_000];
const MAILBOXES = 5;
const ENDINGS = ["com", "com", "com", "de", "co.uk", "fr", "org", "net", "io", "nl"];

export function printDomainSlips(): void {
  const random = createRandom(21);
  const names = JSON.parse(
    readFileSync(join(packageFolder("all-the-package-names"), "names.json"), "utf8"),
  ) as string[];
  const scopes = new Set(
    names.filter((name) => name.startsWith("@")).map((name) => name.slice(1, name.indexOf("/"))),
  );
  const domains = shuffle(
    [...scopes].filter((scope) => /^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$/.test(scope)),
    random,
  ).map((scope) => `${scope}.${random.pick(ENDINGS)}`);

  console.log(
    "\ntypos in domains     typo: ours right  wrong   plain right  wrong   dead domain: ours   plain   CPU a domain",
  );
  for (const size of SIZES) {
    const known = new Map(domains.slice(0, size).map((domain) => [domain, MAILBOXES]));
    const typos = Array.from({ length: ASKED }, () => {
      const meant = domains[random.below(size)]!;
      const dot = meant.indexOf(".");
      return { meant, typed: withSlip(meant.slice(0, dot), random) + meant.slice(dot) };
    }).filter(({ typed }) => !known.has(typed) && suggestDomain(typed) === undefined);
    const dead = domains.slice(SIZES.at(-1)!, SIZES.at(-1)! + ASKED);
    const before = process.cpuUsage();
    const ours = typos.map(({ typed }) => suggestKnownDomain(typed, (domain) => known.get(domain)));
    const { user, system } = process.cpuUsage(before);
    const plain = typos.map(({ typed }) => plainly(typed, known));
    const shares = [
      ...[ours, plain].flatMap((suggested) => [
        suggested.filter((domain, i) => domain === typos[i]!.meant).length / typos.length,
        suggested.filter((domain, i) => domain !== undefined && domain !== typos[i]!.meant).length /
          typos.length,
      ]),
      dead.filter((domain) => suggestKnownDomain(domain, (other) => known.get(other)) !== undefined).length /
        ASKED,
      dead.filter((domain) => plainly(domain, known) !== undefined).length / ASKED,
    ].map((share) => `${(share * 100).toFixed(2)} %`.padStart(9));
    const each = `${((user + system) / typos.length).toFixed(0)} µs`;
    console.log(`of ${size.toLocaleString("en").padStart(8)}          ${shares.join("  ")}   ${each}`);
  }
}

function plainly(domain: string, known: ReadonlyMap<string, number>): string | undefined {
  for (const near of typoCandidates(domain, "abcdefghijklmnopqrstuvwxyz0123456789-."))
    if (known.has(near)) return near;
  return undefined;
}
