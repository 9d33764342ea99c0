/** State of one SMTP session, and its changes by accepted commands. */
import type { Command } from "./command.ts";
import type { Mailboxes } from "./mailboxes.ts";
import { fill, type ReplyTemplates } from "./reply-templates.ts";
import type { ServerSession } from "./temperament.ts";

export type MutableSession = { -readonly [K in keyof ServerSession]: ServerSession[K] } & {
  recipients: string[];
};

export function openSession(options: {
  number: number;
  host: string;
  client: string;
  replies: ReplyTemplates;
  mailboxes: Mailboxes;
}): MutableSession {
  // Looks random, differs by session, and is the same in every run.
  const id = (options.number * 2_654_435_761).toString(36).padStart(10, "0");
  const session: MutableSession = {
    number: options.number,
    client: options.client,
    secure: false,
    greeting: undefined,
    sender: undefined,
    smtpUtf8: false,
    recipients: [],
    recipientsAsked: 0,
    refusals: 0,
    early: false,
    address: "",
    truth: options.mailboxes.truth,
    reply: (name) =>
      fill(options.replies[name], {
        host: options.host,
        client: options.client,
        address: session.address,
        sender: session.sender ?? "",
        id,
      }),
  };
  return session;
}

export function applyCommand(
  session: MutableSession,
  { stage, argument, address, parameters }: Command,
): void {
  switch (stage) {
    case "ehlo":
    case "helo":
      endTransaction(session);
      session.greeting = argument;
      break;
    case "mail":
      session.sender = address;
      session.smtpUtf8 = parameters.includes("SMTPUTF8");
      break;
    case "rcpt":
      session.recipients.push(address ?? "");
      break;
    case "rset":
      endTransaction(session);
      break;
    case "starttls": // RFC 3207, 4.2: state before the handshake is discarded
      endTransaction(session);
      session.greeting = undefined;
      session.secure = true;
      break;
  }
}

function endTransaction(session: MutableSession): void {
  session.sender = undefined;
  session.smtpUtf8 = false;
  session.recipients = [];
}
