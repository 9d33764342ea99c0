/**
 * Parses the delay a server asks for: "300 seconds", "5 min", "00:04:59", "wait 5min".
 *
 * Returned as stated; the retry schedule adds a margin.
 */

const CLOCK = /\b(\d{1,2}):(\d{2}):(\d{2})\b/;
const MINUTES_SECONDS = /\b(?:in|after|for|wait) (\d{1,2}):(\d{2})\b/;
const AMOUNT =
  /(\d{1,6}) ?(s|secs?|seconds?|m|mins?|minutes?|minuten|sekunden|secondes?|h|hrs?|hours?|stunden?|heures?)\b/;
const WORDED = /\b(?:in|after|for|wait|least) (?:an?|one|a few|few) (minutes?|hours?)\b/;

const DAY_SECONDS = 86_400;

/** Takes normalised text (see reply-text.ts); undefined when no time is named, at most a day. */
export function retryAfterSeconds(words: string): number | undefined {
  const seconds = clockSeconds(words) ?? amountSeconds(words) ?? wordedSeconds(words);
  return seconds === undefined || seconds <= 0 ? undefined : Math.min(seconds, DAY_SECONDS);
}

function clockSeconds(words: string): number | undefined {
  const clock = CLOCK.exec(words);
  if (clock) return Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  const short = MINUTES_SECONDS.exec(words);
  return short ? Number(short[1]) * 60 + Number(short[2]) : undefined;
}

function amountSeconds(words: string): number | undefined {
  const amount = AMOUNT.exec(words);
  return amount ? Number(amount[1]) * unitSeconds(amount[2] ?? "s") : undefined;
}

function wordedSeconds(words: string): number | undefined {
  const worded = WORDED.exec(words);
  return worded ? unitSeconds(worded[1] ?? "minute") : undefined;
}

function unitSeconds(unit: string): number {
  if (unit.startsWith("h") || unit.startsWith("st")) return 3600;
  return unit.startsWith("m") ? 60 : 1;
}
