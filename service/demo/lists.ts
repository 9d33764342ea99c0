/** Files as customers have them, with addresses of the demonstration's world. */
import { type Chance, chanceFrom } from "./chance.ts";
import { FIRMS, FIRST, LAST, SLOW_FIRMS } from "./world.ts";

/** Settled at once, of every kind there is. What takes its time in the standing world is made up by the sandbox. */
const ODD_ONES = [
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

/** Sent away at first, and asked for again after minutes. */
const PATIENT_ONES = ["grey", "busy", "ill"].flatMap((place) =>
  ["ann", "bob", "carla.meyer"].map((name) => `${name}@${place}.example-lab.com`),
);

export type ListPlan = {
  filename: string;
  seed: number;
  /** Addresses at ordinary firms, at slow ones, and oddities: as many as wanted. */
  ordinary: number;
  slow: number;
  hasOddOnes: boolean;
  hasPatientOnes: boolean;
};

/** A file as somebody may have it: names, companies, a few rows twice. */
export function csvOf(plan: ListPlan): string {
  const chance = chanceFrom(plan.seed);
  const emails = [
    ...Array.from({ length: plan.ordinary }, (_, n) => addressAt(chance, FIRMS, n)),
    ...Array.from({ length: plan.slow }, (_, n) => addressAt(chance, SLOW_FIRMS, n)),
    ...(plan.hasOddOnes ? ODD_ONES : []),
    ...(plan.hasPatientOnes ? PATIENT_ONES : []),
  ];
  const rows = shuffled(emails, chance).flatMap((email, n) => {
    const row = `${1000 + n},${nameIn(email)},${email},${chance.oneOf(["web", "fair", "partner"])}`;
    return n % 23 === 22 ? [row, row.replace(email, email.toUpperCase())] : [row];
  });
  return ["id,name,email,source", ...rows, ""].join("\n");
}

function addressAt(chance: Chance, domains: readonly string[], n: number): string {
  const name = `${chance.oneOf(FIRST)}.${chance.oneOf(LAST)}${n}`;
  const kind = chance.next();
  if (kind < 0.12) return `former.${name}@${chance.oneOf(domains)}`;
  if (kind < 0.2) return `${name}@open.example-lab.com`;
  if (kind < 0.23) return `${name}@nowhere.example-lab.com`;
  return `${name}@${chance.oneOf(domains)}`;
}

function nameIn(email: string): string {
  const words = email.split("@", 1)[0]!.replace(/\d+$/, "").split(".");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  return items
    .map((item) => ({ item, place: chance.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
