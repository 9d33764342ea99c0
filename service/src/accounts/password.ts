/**
 * Passwords, stored as argon2id hashes only.
 *
 * A hash takes tens of milliseconds of CPU time and 19 MiB by design. Few run at once and few wait, so that a flood of
 * sign-ins cannot starve everything else.
 */
import { createSemaphore } from "@mailvet/engine";
import { hash, verify } from "@node-rs/argon2";
import { Refusal } from "../refusal.ts";

const MEMORY_KIB = 19_456;
const PASSES = 2;
const COST = { memoryCost: MEMORY_KIB, timeCost: PASSES, parallelism: 1 };

/** As expensive to compare as any other hash, and no password matches it. */
const UNMATCHABLE_HASH = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${zeros(16)}$${zeros(32)}`;

export function hashPassword(password: string): Promise<string> {
  return limited(() => hash(normalized(password), COST));
}

/** Takes as long without a hash, so that the time does not reveal whether the account exists. */
export async function verifyPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const isCorrect = await limited(() => verify(passwordHash ?? UNMATCHABLE_HASH, normalized(password)));
  return isCorrect && passwordHash !== undefined;
}

/** Composed and decomposed characters are the same. */
function normalized(password: string): string {
  return password.normalize("NFKC");
}

const MAX_CONCURRENT = 2;
const MAX_WAITING = 50;
/** For the whole process, because CPU and memory are shared. */
const semaphore = createSemaphore(MAX_CONCURRENT);
let pending = 0;

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (pending >= MAX_CONCURRENT + MAX_WAITING) {
    throw new Refusal("overloaded", "Too many sign-ins are in progress. Try again in a few seconds.", {
      retryAfterSeconds: 2,
    });
  }
  pending++;
  try {
    return await semaphore.run(work);
  } finally {
    pending--;
  }
}

function zeros(bytes: number): string {
  return Buffer.alloc(bytes).toString("base64").replace(/=+$/, "");
}
