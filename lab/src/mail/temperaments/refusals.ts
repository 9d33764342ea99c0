/** Temperaments that answer in the same way whatever the mailbox: refusals of the visitor, and set phrases. */
import { amongUsers, mailboxOf, type Users } from "../mailboxes.ts";
import type { Action, Stage, Temperament, Visit } from "../temperament.ts";
import type { Words } from "../words.ts";

/** Refuses the visitor's address, at the banner with the door shut behind it. */
export const blocksUs = (options: { at: "banner" | "ehlo" | "mail" | "rcpt" }): Temperament =>
  says("blocked", options.at);

/** Cannot tell just now. */
export const failsForNow = (options: { at: "banner" | "mail" | "rcpt" }): Temperament =>
  says("temporary", options.at);

function says(word: keyof Words, stage: Stage): Temperament {
  const reply = (visit: Visit): Action => ({ reply: visit.say(word) });
  const dismiss = (visit: Visit): Action => ({ reply: visit.say(word), close: "politely" });
  return { on: { [stage]: stage === "banner" ? dismiss : reply } };
}

/** Any reply at any stage, word for word; with `users` only when the recipient is one of them. */
export function answersWith(options: { at: Stage; reply: string; users?: Users }): Temperament {
  const isOneOf = options.users && amongUsers(options.users);
  return {
    on: {
      [options.at]: (visit: Visit) =>
        !isOneOf || isOneOf(mailboxOf(visit.address)) ? { reply: options.reply } : undefined,
    },
  };
}
