/** Temperaments about mailboxes: who is known, full, closed, or accepted whoever it is. */
import { amongUsers, type Mailbox, mailboxOf, type Truth, type Users } from "../mailboxes.ts";
import { flatten, type Temper, type Temperament } from "../temperament.ts";

/** Knows its users, refuses the rest, and is a good host: what every server is without a temperament. */
export const polite: Temperament = {};

/** A catch-all: any name is a mailbox here. */
export const acceptsEveryone: Temperament = { mailbox: () => "catch_all" };

/** Says yes to every recipient at its domains and would bounce the message later; the truth stays what it is. */
export const neverRefusesAtRcpt: Temperament = {
  on: {
    rcpt: (visit) => (visit.truth(visit.address) === undefined ? undefined : { reply: visit.say("exists") }),
  },
};

/** These mailboxes exist and are full. */
export const overQuota = (users: Users): Temperament => mailboxesThatAre("full", users);

/** These mailboxes exist and are closed. */
export const disabled = (users: Users): Temperament => mailboxesThatAre("disabled", users);

function mailboxesThatAre(truth: Truth, users: Users): Temperament {
  const isOneOf = amongUsers(users);
  return { mailbox: (mailbox) => (isOneOf(mailbox) ? truth : undefined) };
}

/** What concerns recipients in `temper`, for those at one domain of a server that has several. */
export function forDomain(domain: string, temper: Temper): Temperament[] {
  const concerns = (mailbox: Mailbox) => mailbox.domain === domain.toLowerCase();
  return flatten(temper).map(({ mailbox, on }) => ({
    mailbox: (candidate) => (concerns(candidate) ? mailbox?.(candidate) : undefined),
    on: { rcpt: (visit) => (concerns(mailboxOf(visit.address)) ? on?.rcpt?.(visit) : undefined) },
  }));
}
