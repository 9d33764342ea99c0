/**
 * The service's log: one JSON object per line, without anybody's address in it unless the operator asks for that.
 *
 * Whoever logs a text that may hold an address passes it through `masked` of the same log; errors are masked here.
 */
import { DrizzleQueryError } from "drizzle-orm";
import { type DestinationStream, type Logger, pino } from "pino";
import { createLogEvent, type LogEvent } from "./log-events.ts";
import { createLogSampling, type LogSampling } from "./log-sampling.ts";
import { openLogSink } from "./log-sink.ts";

export type Log = {
  write: Logger;
  event: LogEvent;
  /** The text as it may be logged: ann@example.com becomes a***@example.com, unless full addresses are wanted. */
  masked(text: string): string;
  /** For events that repeat during an outage: one line per kind and interval, with a count of the others. */
  repeats: LogSampling;
  /** Writes out what is still held back; for the last moment of the process. */
  flush(): void;
  /** Lines that could not be written, because of a full disk or a reader that does not read. */
  readonly droppedLines: number;
  /** Whether the last lines were lost. */
  readonly isDropping: boolean;
};

export type LogOptions = {
  level: "debug" | "info" | "warn" | "error" | "silent";
  addresses: "masked" | "full";
  /** Where lines go; standard output when it is not said. */
  destination?: DestinationStream;
};

/** Lines longer than this are cut: a collector refuses or splits them, and they fill disks. */
const MAX_LINE_CHARACTERS = 8192;

export function createLog({ level, addresses, destination }: LogOptions): Log {
  const masked = addresses === "full" ? (text: string) => text : maskAddresses;
  const sink = destination ? undefined : openLogSink(1);
  const target = destination ?? sink!;
  const write = pino(
    {
      level,
      base: null, // neither process id nor host: whoever collects the lines knows
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => maskedError(error, masked) },
    },
    { write: (line) => target.write(line.length > MAX_LINE_CHARACTERS ? shortened(line) : line) },
  );
  return {
    write,
    event: createLogEvent(write, masked),
    masked,
    repeats: createLogSampling((kind, occurrences) => write.error({ kind, occurrences }, "happened again")),
    flush: () => sink?.flush(),
    get droppedLines() {
      return sink?.droppedLines ?? 0;
    },
    get isDropping() {
      return sink?.isDropping ?? false;
    },
  };
}

/** The same JSON object with its long texts cut, down to the length that makes the line fit. */
function shortened(line: string): string {
  for (let most = MAX_LINE_CHARACTERS / 2; most >= 16; most /= 2) {
    const cut = JSON.stringify(JSON.parse(line), (_, value) => {
      if (Array.isArray(value) && value.length > most) return value.slice(0, most);
      if (typeof value !== "string" || value.length <= most) return value;
      return `${value.slice(0, most)}… (${value.length} characters)`;
    });
    if (cut.length < MAX_LINE_CHARACTERS) return `${cut}\n`;
  }
  return `${JSON.stringify({ level: "error", msg: "a log line was too long", characters: line.length })}\n`;
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
