/** Whether a mailbox was refused in the very words that made-up names are refused in. */
import type { DecoyFinding, MailboxFinding } from "../evidence.ts";

export function isRefusedLikeDecoy(
  mailbox: MailboxFinding,
  decoy: DecoyFinding,
  names: readonly string[],
): boolean {
  if (decoy.answer !== "not_found" || !mailbox.reply || !decoy.reply) return false;
  if (mailbox.mxHost !== decoy.mxHost || mailbox.reply.code !== decoy.reply.code) return false;
  if (mailbox.reply.enhanced !== decoy.reply.enhanced) return false;
  return plain(mailbox.reply.text, names) === plain(decoy.reply.text, names);
}

/** Without addresses, the names that were asked for, and whatever numbers this one conversation. */
function plain(text: string, names: readonly string[]): string {
  let words = text.toLowerCase().replace(/\S+@\S+/g, " ");
  for (const name of names) words = words.replaceAll(name.toLowerCase(), " ");
  return words
    .split(/\s+/)
    .filter((word) => word !== "" && !/\d/.test(word))
    .join(" ");
}

/** OpenSMTPD's answer to a name that it does not know. Nobody says this to a client that he does not like. */
export function isUnknownUserCode({ reply }: MailboxFinding): boolean {
  return reply?.code === 524 && reply.enhanced === "5.2.4";
}
