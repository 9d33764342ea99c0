/**
 * Real names within a slip or two of a large provider's. Whoever typed one of these may well have meant it, so
 * they are never corrected.
 *
 * Mailbox providers are not repeated here: they are all known from their own table.
 */

/** Is this somebody's own domain, though it looks like a slip? */
export function isRealLookAlike(domain: string): boolean {
  return REAL_DOMAINS.has(domain) || REAL_NAMES.has(domain.slice(0, domain.indexOf(".")));
}

const REAL_DOMAINS: ReadonlySet<string> = new Set(
  `gomail.com gmail.ru gmail.pl yahoo.net hostmail.com gotmail.com outlooks.com cloud.com icloud.com.cn tellus.net
   atinternet.com freent.de networld.com prontomail.com mmmmail.com hotmilk.com maul.com lige.dk orage.net`.split(
    /\s+/,
  ),
);

/** Words, family names and places: at any ending, some firm or family has it. */
const REAL_NAMES: ReadonlySet<string> = new Set(
  `gail grail wahoo yazoo yoho yago tera tetra mali mall charted chatter alive laporte telenor tisdale virginio ramble ramblers
   roadrunners zito liberto liber libro libera libere simpatico sympatric damu at proto carter nave nader navel never nauer
   roger centum talus oranges oranger oranje webb maik fred life lice lives livs earthling sezam`.split(
    /\s+/,
  ),
);
