/**
 * What a server without any temperament says: the manners of Postfix.
 *
 * `objectionTo` comes before the temperaments are asked (a command out of order is one everywhere),
 * `ordinaryReply` after all of them had nothing to say.
 */
import type { Command } from "./command.ts";
import type { CommandStage, Visit } from "./temperament.ts";

/** Postfix's default, and what keeps a transaction's memory bounded. */
const MAX_RECIPIENTS = 1_000;

export type Offer = { readonly extensions: readonly string[]; readonly startTls: boolean };

export function objectionTo(command: Command, visit: Visit, offer: Offer): string | undefined {
  return OBJECTIONS.find(
    ([stage, applies]) => stage === command.stage && applies(command, visit, offer),
  )?.[2];
}

const OBJECTIONS: readonly [
  CommandStage,
  (command: Command, visit: Visit, offer: Offer) => boolean,
  reply: string,
][] = [
  ["ehlo", ({ argument }) => argument === "", "501 5.5.4 Syntax: EHLO hostname"],
  ["helo", ({ argument }) => argument === "", "501 5.5.4 Syntax: HELO hostname"],
  ["starttls", (_, { secure }) => secure, "554 5.5.1 Error: TLS already active"],
  ["starttls", (_, __, { startTls }) => !startTls, "502 5.5.1 Error: command not implemented"],
  ["mail", (_, { greeting }) => greeting === undefined, "503 5.5.1 Error: send HELO/EHLO first"],
  ["mail", (_, { sender }) => sender !== undefined, "503 5.5.1 Error: nested MAIL command"],
  ["mail", ({ address }) => address === undefined, "501 5.5.4 Syntax: MAIL FROM:<address>"],
  [
    "mail",
    ({ parameters }, _, { extensions }) =>
      parameters.includes("SMTPUTF8") && !extensions.includes("SMTPUTF8"),
    "555 5.5.4 Unsupported option: SMTPUTF8",
  ],
  ["rcpt", (_, { sender }) => sender === undefined, "503 5.5.1 Error: need MAIL command"],
  ["rcpt", ({ address }) => !address?.includes("@"), "501 5.1.3 Bad recipient address syntax"],
  [
    "rcpt",
    ({ address = "" }, { smtpUtf8 }) => !smtpUtf8 && !isAscii(address),
    "553 5.6.7 Must declare SMTPUTF8 to permit unicode address",
  ],
  ["data", (_, { recipients }) => recipients.length === 0, "554 5.5.1 Error: no valid recipients"],
];

export function ordinaryReply(command: Command, visit: Visit, offer: Offer): string {
  return ORDINARY[command.stage](command, visit, offer);
}

const ORDINARY: Record<CommandStage, (command: Command, visit: Visit, offer: Offer) => string> = {
  ehlo: (_, visit, offer) => {
    const lines = [visit.say("hello"), ...offer.extensions, ...(offer.startTls ? ["STARTTLS"] : [])];
    return lines.map((line, index) => `250${index === lines.length - 1 ? " " : "-"}${line}`).join("\n");
  },
  helo: (_, visit) => `250 ${visit.say("hello")}`,
  starttls: () => "220 2.0.0 Ready to start TLS",
  mail: (_, visit) => visit.say("mail"),
  rcpt: ({ address = "" }, visit) => {
    if (visit.recipients.length >= MAX_RECIPIENTS) return visit.say("too_many_recipients");
    const truth = visit.truth(address) ?? "not_here";
    return visit.say(truth === "catch_all" ? "exists" : truth);
  },
  data: () => "554 5.7.1 Error: this laboratory takes no messages",
  rset: () => "250 2.0.0 Ok",
  quit: (_, visit) => visit.say("quit"),
  other: ({ verb, argument }) => OTHER_REPLIES[verb]?.(argument) ?? "500 5.5.2 Error: command not recognized",
};

const OTHER_REPLIES: Readonly<Record<string, (argument: string) => string>> = {
  NOOP: () => "250 2.0.0 Ok",
  VRFY: (argument) => `252 2.0.0 ${argument}`,
  EXPN: () => "502 5.5.1 Error: command not implemented",
  HELP: () => "502 5.5.1 Error: command not implemented",
  AUTH: () => "503 5.5.1 Error: authentication not enabled",
};

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with the control characters
  return /^[\x00-\x7f]*$/.test(text);
}
