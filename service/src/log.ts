/**
 * The service's log: one JSON object per line, without anybody's address in it unless the operator asks for that.
 *
 * Whoever logs a text that may hold an address passes it through `masked` of the same log; errors are masked here.
 */
import { DrizzleQueryError } from "drizzle-orm";
import { type DestinationStream, destination as fileDestination, type Logger, pino } from "pino";

export type Log = {
  write: Logger;
  /** The text as it may be logged: ann@example.com becomes a***@example.com, unless full addresses are wanted. */
  masked(text: string): string;
  /** Writes out what is still held back; for the last moment of the process. */
  flush(): void;
};

export type LogOptions = {
  level: "debug" | "info" | "warn" | "error" | "silent";
  addresses: "masked" | "full";
  /** Where lines go; standard output when it is not said. */
  destination?: DestinationStream;
};

/** Lines are held back up to this much and this long: a write per line would cost more than the line. */
const HELD_BACK_BYTES = 4096;
const HELD_BACK_MS = 250;

export function createLog({ level, addresses, destination }: LogOptions): Log {
  const masked = addresses === "full" ? (text: string) => text : maskAddresses;
  const stdout =
    destination ??
    fileDestination({ dest: 1, sync: false, minLength: HELD_BACK_BYTES, periodicFlush: HELD_BACK_MS });
  const write = pino(
    {
      level,
      base: null, // neither process id nor host: whoever collects the lines knows
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => maskedError(error, masked) },
    },
    stdout,
  );
  return {
    write,
    masked,
    flush: () => "flushSync" in stdout && (stdout as { flushSync(): void }).flushSync(),
  };
}

// Bounded on both sides, so that a long text without an @ costs no more than its length.
const ADDRESS = /([^\s@<>"'(),:;[\]\\=])[^\s@<>"'(),:;[\]\\=]{0,128}@(?=[^\s@])/gu;
/** A local part in quotes may hold anything: "ann smith"@example.com. Within JSON those quotes are escaped. */
const QUOTED_ADDRESS = /(?<!\\)"((?:[^"\\]|\\.){1,70})"@(?=[^\s@])/gu;
const ESCAPED_QUOTED_ADDRESS = /\\"([^"\\]{1,70})\\"@(?=[^\s@])/gu;

/** Every address in a text with all but the first character of its local part hidden. */
export function maskAddresses(text: string): string {
  return text
    .replace(QUOTED_ADDRESS, (_, local: string) => `"${local[0]}***"@`)
    .replace(ESCAPED_QUOTED_ADDRESS, (_, local: string) => `\\"${local[0]}***\\"@`)
    .replace(ADDRESS, "$1***@");
}

const MAX_CAUSES = 5;

/**
 * An error with what caused it. Drizzle's message holds every parameter of the statement, password hashes among them,
 * so of its errors only the statement is told, beside the cause.
 */
function maskedError(error: unknown, masked: (text: string) => string): unknown {
  if (!(error instanceof Error)) return masked(String(error));
  const told: Error[] = [];
  let statement: string | undefined;
  for (
    let one: unknown = error, depth = 0;
    one instanceof Error && depth < MAX_CAUSES;
    one = one.cause, depth++
  ) {
    if (one instanceof DrizzleQueryError) statement = one.query;
    else told.push(one);
  }
  const { code } = (told[0] ?? error) as { code?: unknown };
  return {
    type: told[0]?.constructor.name ?? error.constructor.name,
    message: masked(told.map(({ message }) => message).join(": ")),
    stack: masked(told.map(({ stack }) => stack).join("\ncaused by: ")),
    ...(code === undefined ? {} : { code }),
    ...(statement === undefined ? {} : { statement }),
  };
}
