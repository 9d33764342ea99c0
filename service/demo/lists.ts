/** CSV lists as customers upload them, with addresses in the demo's simulated internet. */
import { type SeededRandom, seededRandom } from "./seeded-random.ts";
import { COMPANIES, FIRST, LAST, SLOW_COMPANIES } from "./world.ts";

/** One address per verdict, all answered at once: the sandbox simulates the outcomes that take minutes in the lab. */
const EDGE_CASES = [
  "ann@polite.example-lab.com",
  "bob@encrypted.example-lab.com",
  "annabel.lab@gmail.com",
  "annabel.lab@outlook.com",
  "annabel.lab@duck.com",
  "annabel.lab@gmial.com",
  "annabel.lab@yahoo.com",
  "abc@gmail.com",
  "ann@@polite.example-lab.com",
  "ann@example.com",
  "ann@nowhere.example-lab.com",
  "ann@web-only.example-lab.com",
  "ann@null.example-lab.com",
  "eve@firm.example-lab.com",
  "former@closed.example-lab.com",
  "max@full.example-lab.com",
  "info@polite.example-lab.com",
  "ann@mailinator.com",
  "ann@blocks.example-lab.com",
  "bob@blocks.example-lab.com",
  "carla.meyer@blocks.example-lab.com",
  "greylisted@mailvet.test",
  "smtp-timeout@mailvet.test",
  "temporary-error@mailvet.test",
];

/** Deferred by the server at first, and retried after minutes. */
const DEFERRED = ["grey", "busy", "ill"].flatMap((place) =>
  ["ann", "bob", "carla.meyer"].map((name) => `${name}@${place}.example-lab.com`),
);

export type ListPlan = {
  filename: string;
  seed: number;
  /** Number of addresses at ordinary and at slow companies. */
  ordinary: number;
  slow: number;
  hasEdgeCases: boolean;
  hasDeferred: boolean;
};

/** A typical customer file: ids, names, sources, and a few duplicate rows. */
export function csvOf(plan: ListPlan): string {
  const random = seededRandom(plan.seed);
  const emails = [
    ...Array.from({ length: plan.ordinary }, (_, n) => addressAt(random, COMPANIES, n)),
    ...Array.from({ length: plan.slow }, (_, n) => addressAt(random, SLOW_COMPANIES, n)),
    ...(plan.hasEdgeCases ? EDGE_CASES : []),
    ...(plan.hasDeferred ? DEFERRED : []),
  ];
  const rows = shuffled(emails, random).flatMap((email, n) => {
    const row = `${1000 + n},${nameIn(email)},${email},${random.oneOf(["web", "fair", "partner"])}`;
    return n % 23 === 22 ? [row, row.replace(email, email.toUpperCase())] : [row];
  });
  return ["id,name,email,source", ...rows, ""].join("\n");
}

function addressAt(random: SeededRandom, domains: readonly string[], n: number): string {
  const name = `${random.oneOf(FIRST)}.${random.oneOf(LAST)}${n}`;
  const kind = random.next();
  if (kind < 0.12) return `former.${name}@${random.oneOf(domains)}`;
  if (kind < 0.2) return `${name}@open.example-lab.com`;
  if (kind < 0.23) return `${name}@nowhere.example-lab.com`;
  return `${name}@${random.oneOf(domains)}`;
}

function nameIn(email: string): string {
  const words = email.split("@", 1)[0]!.replace(/\d+$/, "").split(".");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
