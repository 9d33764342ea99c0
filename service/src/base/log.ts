/**
 * The service's log: one JSON object per line, with addresses masked unless LOG_ADDRESSES=full.
 *
 * Events have a name and fields (log-events.ts). Texts and errors in them are masked here.
 */
import { type DestinationStream, type Logger, pino } from "pino";
import { errorChain, messageOf, stackOf } from "./error-chain.ts";
import { createLogEvent, type LogEvent } from "./log-events.ts";
import { createLogSampling, type LogSampling } from "./log-sampling.ts";
import { openLogSink } from "./log-sink.ts";

export type Log = {
  write: Logger;
  event: LogEvent;
  /** Masks addresses in a text: ann@example.com becomes a***@example.com, unless LOG_ADDRESSES=full. */
  masked(text: string): string;
  /** For events that repeat during an outage: one line per kind and interval, then a count of the others. */
  repeats: LogSampling;
  /** Writes buffered lines; called last before the process exits. */
  flush(): void;
  /** Lines that could not be written, because the disk is full or the reader of the pipe is stuck. */
  readonly droppedLines: number;
  /** Whether lines are being lost now. */
  readonly isDropping: boolean;
};

export type LogOptions = {
  level: "debug" | "info" | "warn" | "error" | "silent";
  addresses: "masked" | "full";
  /** Standard output by default. */
  destination?: DestinationStream;
};

/** Longer lines are cut: collectors refuse or split them, and they fill disks. */
const MAX_LINE_CHARACTERS = 8192;

export function createLog({ level, addresses, destination }: LogOptions): Log {
  const masked = addresses === "full" ? (text: string) => text : maskAddresses;
  const sink = destination ? undefined : openLogSink(1);
  const target = destination ?? sink!;
  const write = pino(
    {
      level,
      base: null, // no process id or host: the log collector adds them
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => maskedError(error, masked) },
    },
    { write: (line) => target.write(line.length > MAX_LINE_CHARACTERS ? shortened(line) : line) },
  );
  const event = createLogEvent(write, masked);
  return {
    write,
    event,
    masked,
    repeats: createLogSampling((kind, occurrences) => event("event_repeated", { kind, occurrences })),
    flush: () => sink?.flush(),
    get droppedLines() {
      return sink?.droppedLines ?? 0;
    },
    get isDropping() {
      return sink?.isDropping ?? false;
    },
  };
}

/** The same JSON object with long texts cut until the line fits. */
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

// Begins where no such character is before it, so that matching is linear in the length of the text.
const ADDRESS = /(?<![^\s@<>"(),:;[\]\\])([^\s@<>"(),:;[\]\\])[^\s@<>"(),:;[\]\\]*@(?=[^\s@])/gu;
/** A quoted local part: "ann smith"@example.com. Within JSON the quotes are escaped. */
const QUOTED_ADDRESS = /(?<!\\)"((?:[^"\\]|\\.){1,70})"@(?=[^\s@])/gu;
const ESCAPED_QUOTED_ADDRESS = /\\"([^"\\]{1,70})\\"@(?=[^\s@])/gu;

/** Hides all but the first character of the local part of every address in a text. */
export function maskAddresses(text: string): string {
  return text
    .replace(QUOTED_ADDRESS, (_, local: string) => `"${local[0]}***"@`)
    .replace(ESCAPED_QUOTED_ADDRESS, (_, local: string) => `\\"${local[0]}***\\"@`)
    .replace(ADDRESS, "$1***@");
}

function maskedError(error: unknown, masked: (text: string) => string): unknown {
  if (!(error instanceof Error)) return masked(String(error));
  const { chain, statement } = errorChain(error);
  const { code } = (chain[0] ?? error) as { code?: unknown };
  return {
    type: chain[0]?.constructor.name ?? error.constructor.name,
    message: masked(messageOf(error)),
    stack: masked(stackOf(error)),
    ...(code === undefined ? {} : { code }),
    ...(statement === undefined ? {} : { statement }),
  };
}
