/** Fixed replies that do not depend on the mailbox. */
import { amongUsers, mailboxOf, type Users } from "../mailboxes.ts";
import type { ReplyTemplates } from "../reply-templates.ts";
import type { Action, ServerSession, SmtpStage, Temperament } from "../temperament.ts";

/** Rejects the IP address of the client; at the banner, also closes the connection. */
export const blocksClient = (options: { at: "banner" | "ehlo" | "mail" | "rcpt" }): Temperament =>
  repliesWith("blocked", options.at);

/** Fails temporarily. */
export const failsTemporarily = (options: { at: "banner" | "mail" | "rcpt" }): Temperament =>
  repliesWith("temporary", options.at);

function repliesWith(name: keyof ReplyTemplates, stage: SmtpStage): Temperament {
  const reply = (session: ServerSession): Action => ({ reply: session.reply(name) });
  const replyAndClose = (session: ServerSession): Action => ({
    reply: session.reply(name),
    close: "politely",
  });
  return { on: { [stage]: stage === "banner" ? replyAndClose : reply } };
}

/** A literal reply at a stage; with `users`, only for these recipients. */
export function answersWith(options: { at: SmtpStage; reply: string; users?: Users }): Temperament {
  const isOneOf = options.users && amongUsers(options.users);
  return {
    on: {
      [options.at]: (session: ServerSession) =>
        !isOneOf || isOneOf(mailboxOf(session.address)) ? { reply: options.reply } : undefined,
    },
  };
}
