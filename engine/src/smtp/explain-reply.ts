/** Interprets the text of a reply from outside a session, such as one pasted from a bounce or a log. */
import { type MailboxFact, type ReplyCategory, type ReplyStage, readReply } from "./meaning.ts";
import { parseReply } from "./reply.ts";

export type ReplyContext = {
  /** The command that it answers. Default: "rcpt". */
  stage?: ReplyStage;
  /** Host name of the mail server. */
  mx?: string | undefined;
  /** The address in RCPT TO, so that its echo in the reply is ignored. */
  recipient?: string | undefined;
};

export type ExplainedReply = {
  meaning: ReplyCategory;
  mailbox: MailboxFact;
  why: string;
  rule: string;
  /** Seconds, if the reply names a time. */
  retry_after?: number | undefined;
};

export function explainReply(
  text: string,
  { stage = "rcpt", mx, recipient }: ReplyContext = {},
): ExplainedReply {
  const { category, mailbox, why, rule, retryAfterSeconds } = readReply({
    stage,
    reply: parseReply(text),
    mx,
    recipient,
  });
  return { meaning: category, mailbox, why, rule, retry_after: retryAfterSeconds };
}
