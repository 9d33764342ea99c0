/**
 * Passwords, kept as argon2id hashes only.
 *
 * A hash takes a processor for tens of milliseconds and 19 MiB on purpose. Few run at once and few wait, so that a
 * flood of sign-ins cannot take the machine away from everything else.
 */
import { hash, verify } from "@node-rs/argon2";
import { Refusal } from "../refusal.ts";

const MEMORY_KIB = 19_456;
const PASSES = 2;
const COST = { memoryCost: MEMORY_KIB, timeCost: PASSES, parallelism: 1 };

/** Costs as much to compare with as any other hash, and nobody knows a password for it. */
const NOBODYS_HASH = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${zeros(16)}$${zeros(32)}`;

export function hashPassword(password: string): Promise<string> {
  return inLine(() => hash(spelled(password), COST));
}

/** Takes as long when there is no hash to compare with: who measures learns nothing about who exists. */
export async function verifyPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const fits = await inLine(() => verify(passwordHash ?? NOBODYS_HASH, spelled(password)));
  return fits && passwordHash !== undefined;
}

/** The same characters, whichever way a keyboard has put them together. */
function spelled(password: string): string {
  return password.normalize("NFKC");
}

const HASHES_AT_ONCE = 2;
const MOST_WAITING = 50;
const waiting: (() => void)[] = [];
let running = 0;

/** For the whole process, because it is the machine that must be spared. */
async function inLine<T>(work: () => Promise<T>): Promise<T> {
  if (running >= HASHES_AT_ONCE) {
    if (waiting.length >= MOST_WAITING) {
      throw new Refusal("overloaded", "Too many people are signing in at this moment.", {
        retryAfterSeconds: 2,
      });
    }
    await new Promise<void>((resolve) => waiting.push(resolve)); // whoever is done hands over its place
  } else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

function zeros(bytes: number): string {
  return Buffer.alloc(bytes).toString("base64").replace(/=+$/, "");
}
