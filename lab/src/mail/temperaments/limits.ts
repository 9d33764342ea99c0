/** Limits on recipients, errors, domains and idle time. */
import { mailboxOf } from "../mailboxes.ts";
import type { ServerSession, Temperament } from "../temperament.ts";

/** Recipients per transaction; further ones get 452. */
export const recipientLimit = (recipients: number): Temperament => ({
  on: {
    rcpt: (session) =>
      session.recipients.length >= recipients ? { reply: session.reply("too_many_recipients") } : undefined,
  },
});

/** Recipients per session; the next RCPT gets 421 and the connection is closed. */
export const closesAfterRecipients = (recipients: number): Temperament => ({
  on: {
    rcpt: (session) =>
      session.recipientsAsked > recipients
        ? { reply: session.reply("enough"), close: "politely" }
        : undefined,
  },
});

/** Gives the same reply to every RCPT after a number of recipients or refusals in the session. */
export const rejectsAfterLimit = (options: {
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

/**
 * Exim as Debian configures it: from the eleventh recipient of a transaction, every one is rejected while fewer than half
 * were accepted. `onMet` is called with the number of the session.
 */
export function badRecipientLimit(onMet: (session: number) => void = () => {}): Temperament {
  const asked = new WeakMap<ServerSession, number>();
  return {
    on: {
      mail(session) {
        asked.set(session, 0);
        return undefined;
      },
      rcpt(session) {
        const count = (asked.get(session) ?? 0) + 1;
        asked.set(session, count);
        if (count <= 10 || session.recipients.length >= Math.floor(count / 2)) return undefined;
        onMet(session.number);
        return { reply: "550 Rejected for too many bad recipients" };
      },
    },
  };
}

/** Defaults of Postfix: after 10 refusals each reply is delayed by a second, after 20 the connection is closed. */
export function errorLimit({ sleepAfter = 10, sleepMs = 1_000, leaveAt = 20 } = {}): Temperament {
  return {
    on: {
      command: (session) => (session.refusals >= sleepAfter ? { delayMs: sleepMs } : undefined),
      answered: (session) =>
        session.refusals >= leaveAt
          ? { reply: session.reply("too_many_errors"), close: "politely" }
          : undefined,
    },
  };
}

/** Like Google: recipients of another domain need another transaction. */
export const oneDomainPerTransaction: Temperament = {
  on: {
    rcpt(session) {
      const [first] = session.recipients;
      if (first === undefined || mailboxOf(first).domain === mailboxOf(session.address).domain)
        return undefined;
      return {
        reply:
          "451-4.3.0 Multiple destination domains per transaction is unsupported.  Please\n451 4.3.0 try again.",
      };
    },
  },
};

/** Disconnects a client that is idle for this long. */
export const idleTimeout = (options: { idleMs: number }): Temperament => ({ idleMs: options.idleMs });
