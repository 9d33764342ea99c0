/**
 * Real domains within one or two typos of a large provider's. They may be intended, so they are never corrected.
 *
 * Mailbox providers are not repeated here: they have their own table.
 */

/** True for a real domain that looks like a typo. */
export function isRealLookAlike(domain: string): boolean {
  return REAL_DOMAINS.has(domain) || REAL_NAMES.has(domain.slice(0, domain.indexOf(".")));
}

const REAL_DOMAINS: ReadonlySet<string> = new Set(
  `gomail.com gmail.ru gmail.pl yahoo.net hostmail.com gotmail.com outlooks.com cloud.com icloud.com.cn tellus.net
   atinternet.com freent.de networld.com prontomail.com mmmmail.com hotmilk.com maul.com lige.dk orage.net`.split(
    /\s+/,
  ),
);

/** Words, family names and places: registered by someone under almost every TLD. */
const REAL_NAMES: ReadonlySet<string> = new Set(
  `gail grail wahoo yazoo yoho yago tera tetra mali mall charted chatter alive laporte telenor tisdale virginio ramble ramblers
   roadrunners zito liberto liber libro libera libere simpatico sympatric damu at proto carter nave nader navel never nauer
   roger centum talus oranges oranger oranje webb maik fred life lice lives livs earthling sezam`.split(
    /\s+/,
  ),
);
