/**
 * What an error says, with its causes, for logs and operators. Drizzle's message contains every parameter of the statement,
 * addresses and password hashes included, so its errors are reduced to the statement and the cause.
 */
import { DrizzleQueryError } from "drizzle-orm";

const MAX_CAUSES = 5;

export type ErrorChain = {
  /** The error and its causes, without those of Drizzle. */
  chain: Error[];
  /** The SQL that failed. */
  statement: string | undefined;
};

export function errorChain(error: Error): ErrorChain {
  const chain: Error[] = [];
  let statement: string | undefined;
  for (
    let one: unknown = error, depth = 0;
    one instanceof Error && depth < MAX_CAUSES;
    one = one.cause, depth++
  ) {
    if (one instanceof DrizzleQueryError) statement = one.query;
    else chain.push(one);
  }
  return { chain, statement };
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { chain, statement } = errorChain(error);
  return chain.map(({ message }) => message).join(": ") || (statement ?? "");
}

export function stackOf(error: Error): string {
  const { chain, statement } = errorChain(error);
  return chain.map(({ stack, message }) => stack ?? message).join("\ncaused by: ") || (statement ?? "");
}
