/**
 * How well a domain's naming pattern is inferred from a few of its mailboxes: companies with a known template that
 * nine mailboxes in ten follow, and one name in five missing from the lexicon.
 *
 *   npm run model:patterns
 */

import { TEMPLATES, templateLikelihoods } from "#src/plausibility/name-parser";
import { liftOf, tallyOf } from "#src/plausibility/naming-pattern";
import { aucOf } from "../metrics.ts";
import { createRandom } from "../random.ts";
import { printDomainSlips } from "./domain-typos.ts";
import { printLocalSlips } from "./local-part-typos.ts";
import { drawTemplate, mailboxName } from "./mailbox-names.ts";
import { readPopulation } from "./people.ts";

const COMPANIES = 1500;
const ADHERENCE = 0.9;
const KNOWN = [0, 1, 2, 3, 5, 10, 20];
const ASKED = 4; // mailboxes of each company in its template, and as many in another

const population = await readPopulation();
const { lexicon } = population;

console.log(`domain patterns: ${COMPANIES} companies, adherence ${ADHERENCE}, one name in five unlisted`);
console.log(
  "known mailboxes   right template first   AUC right or other template   lift right / other (median)",
);
for (const known of KNOWN) {
  const random = createRandom(7 + known);
  let right = 0;
  const [fitting, foreign]: [number[], number[]] = [[], []];
  for (let company = 0; company < COMPANIES; company++) {
    const { person } = population.place(random);
    const truth = drawTemplate(random);
    const mailboxes = Array.from({ length: known }, () =>
      mailboxName(person(), random.chance(ADHERENCE) ? truth : drawTemplate(random, truth)),
    );
    const tally = tallyOf(mailboxes, lexicon);
    if (TEMPLATES[tally.shares.indexOf(Math.max(...tally.shares))] === truth) right++;
    const lift = (local: string) => liftOf(templateLikelihoods(local, lexicon)!, tally);
    for (let asked = 0; asked < ASKED; asked++) {
      fitting.push(lift(mailboxName(person(), truth)));
      foreign.push(lift(mailboxName(person(), drawTemplate(random, truth))));
    }
  }
  const cells = [
    String(known).padStart(15),
    (right / COMPANIES).toFixed(3).padStart(22),
    aucOf(fitting, foreign).toFixed(3).padStart(29),
    `${median(fitting).toFixed(2)} / ${median(foreign).toFixed(2)}`.padStart(29),
  ];
  console.log(cells.join(""));
}

await printLocalSlips(population);
printDomainSlips();

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
