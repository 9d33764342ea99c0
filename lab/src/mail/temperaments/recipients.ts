/** Mailboxes: existing, full, disabled, or catch-all. */
import { amongUsers, type Mailbox, mailboxOf, type Truth, type Users } from "../mailboxes.ts";
import { flatten, type Temper, type Temperament } from "../temperament.ts";

/** An ordinary server that accepts its users and rejects other recipients. */
export const polite: Temperament = {};

/** Catch-all: any mailbox exists. */
export const acceptsEveryone: Temperament = { mailbox: () => "catch_all" };

/** Accepts every recipient at its domains, although not every mailbox exists; would bounce the message later. */
export const neverRefusesAtRcpt: Temperament = {
  on: {
    rcpt: (session) =>
      session.truth(session.address) === undefined ? undefined : { reply: session.reply("exists") },
  },
};

/** These mailboxes exist and are full. */
export const overQuota = (users: Users): Temperament => mailboxesThatAre("full", users);

/** These mailboxes exist and are disabled. */
export const disabled = (users: Users): Temperament => mailboxesThatAre("disabled", users);

function mailboxesThatAre(truth: Truth, users: Users): Temperament {
  const isOneOf = amongUsers(users);
  return { mailbox: (mailbox) => (isOneOf(mailbox) ? truth : undefined) };
}

/** Limits the recipient rules of `temper` to one domain of a shared server. */
export function forDomain(domain: string, temper: Temper): Temperament[] {
  const applies = (mailbox: Mailbox) => mailbox.domain === domain.toLowerCase();
  return flatten(temper).map(({ mailbox, on }) => ({
    mailbox: (candidate) => (applies(candidate) ? mailbox?.(candidate) : undefined),
    on: { rcpt: (session) => (applies(mailboxOf(session.address)) ? on?.rcpt?.(session) : undefined) },
  }));
}
