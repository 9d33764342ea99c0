/** Temperaments that put up with only so much: of recipients, of errors, of domains, of silence. */
import { mailboxOf } from "../mailboxes.ts";
import type { Temperament } from "../temperament.ts";

/** So many recipients in one transaction, and the next are told to come in another. */
export const recipientLimit = (recipients: number): Temperament => ({
  on: {
    rcpt: (visit) =>
      visit.recipients.length >= recipients ? { reply: visit.say("too_many_recipients") } : undefined,
  },
});

/** Says 421 and leaves at the RCPT after so many in one visit. */
export const leavesAfterRecipients = (recipients: number): Temperament => ({
  on: {
    rcpt: (visit) =>
      visit.recipientsAsked > recipients ? { reply: visit.say("enough"), close: "politely" } : undefined,
  },
});

/** Says the same to everybody once it has been asked for so many recipients in a visit, or has refused so many. */
export const turnsOnVisitors = (options: {
  recipients?: number;
  refusals?: number;
  reply: string;
}): Temperament => ({
  on: {
    rcpt({ recipientsAsked, refusals }) {
      const { recipients = Number.POSITIVE_INFINITY, refusals: limit = Number.POSITIVE_INFINITY } = options;
      return recipientsAsked > recipients || refusals >= limit ? { reply: options.reply } : undefined;
    },
  },
});

/** As Postfix does by default: after 10 refusals each reply takes a second, after 20 it leaves. */
export function errorLimit({ sleepAfter = 10, sleepMs = 1_000, leaveAt = 20 } = {}): Temperament {
  return {
    on: {
      command: (visit) => (visit.refusals >= sleepAfter ? { delayMs: sleepMs } : undefined),
      answered: (visit) =>
        visit.refusals >= leaveAt ? { reply: visit.say("too_many_errors"), close: "politely" } : undefined,
    },
  };
}

/** As Google does: recipients of another domain have to wait for another transaction. */
export const oneDomainPerTransaction: Temperament = {
  on: {
    rcpt(visit) {
      const [first] = visit.recipients;
      if (first === undefined || mailboxOf(first).domain === mailboxOf(visit.address).domain)
        return undefined;
      return {
        reply:
          "451-4.3.0 Multiple destination domains per transaction is unsupported.  Please\n451 4.3.0 try again.",
      };
    },
  },
};

/** Sends a client away that is silent for so long. */
export const impatient = (options: { idleMs: number }): Temperament => ({ idleMs: options.idleMs });
