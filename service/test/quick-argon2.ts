/**
 * `@node-rs/argon2` at a fraction of the cost: the tests hash thousands of passwords, and 20 ms each was a tenth of their
 * CPU time. Hashes name the cost that was asked for. The real one is tested by password.test.ts and by the tests of
 * programs.
 */
import { createRequire } from "node:module";

const argon2: typeof import("@node-rs/argon2") = createRequire(import.meta.url)("@node-rs/argon2");

const QUICK = { memoryCost: 64, timeCost: 1, parallelism: 1 };
const COST = /\$m=\d+,t=\d+,p=\d+\$/;
const inWords = ({ memoryCost, timeCost, parallelism }: typeof QUICK) =>
  `$m=${memoryCost},t=${timeCost},p=${parallelism}$`;

export async function hash(password: string, cost: typeof QUICK): Promise<string> {
  return (await argon2.hash(password, QUICK)).replace(COST, () => inWords(cost));
}

/** The cost of each comparison so far, as the hash names it. */
export const costsOfComparisons: (string | undefined)[] = [];

export function verify(hashed: string, password: string): Promise<boolean> {
  costsOfComparisons.push(COST.exec(hashed)?.[0]);
  return argon2.verify(
    hashed.replace(COST, () => inWords(QUICK)),
    password,
  );
}
