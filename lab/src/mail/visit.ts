/** The state of one client's visit, and how a command that was granted changes it. */
import type { Command } from "./command.ts";
import type { Mailboxes } from "./mailboxes.ts";
import type { Visit } from "./temperament.ts";
import { fill, type Words } from "./words.ts";

export type OpenVisit = { -readonly [K in keyof Visit]: Visit[K] } & { recipients: string[] };

export function openVisit(options: {
  number: number;
  host: string;
  client: string;
  words: Words;
  mailboxes: Mailboxes;
}): OpenVisit {
  // Looks like an id, differs from visit to visit, and is the same in every run.
  const id = (options.number * 2_654_435_761).toString(36).padStart(10, "0");
  const visit: OpenVisit = {
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
    say: (word) =>
      fill(options.words[word], {
        host: options.host,
        client: options.client,
        address: visit.address,
        sender: visit.sender ?? "",
        id,
      }),
  };
  return visit;
}

export function takeEffect(visit: OpenVisit, { stage, argument, address, parameters }: Command): void {
  switch (stage) {
    case "ehlo":
    case "helo":
      endTransaction(visit);
      visit.greeting = argument;
      break;
    case "mail":
      visit.sender = address;
      visit.smtpUtf8 = parameters.includes("SMTPUTF8");
      break;
    case "rcpt":
      visit.recipients.push(address ?? "");
      break;
    case "rset":
      endTransaction(visit);
      break;
    case "starttls": // RFC 3207: nothing said before is remembered
      endTransaction(visit);
      visit.greeting = undefined;
      visit.secure = true;
      break;
  }
}

function endTransaction(visit: OpenVisit): void {
  visit.sender = undefined;
  visit.smtpUtf8 = false;
  visit.recipients = [];
}
