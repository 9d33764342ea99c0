/**
 * Replies of a server without temperaments, as Postfix gives them.
 *
 * `protocolErrorFor` applies before the temperaments (a bad sequence of commands is an error everywhere),
 * `defaultReply` after them.
 */
import type { Command } from "./command.ts";
import type { CommandStage, ServerSession } from "./temperament.ts";

/** Default of Postfix; bounds the memory of a transaction. */
const MAX_RECIPIENTS = 1_000;

export type Capabilities = { readonly extensions: readonly string[]; readonly startTls: boolean };

export function protocolErrorFor(
  command: Command,
  session: ServerSession,
  capabilities: Capabilities,
): string | undefined {
  return PROTOCOL_ERRORS.find(
    ([stage, applies]) => stage === command.stage && applies(command, session, capabilities),
  )?.[2];
}

const PROTOCOL_ERRORS: readonly [
  CommandStage,
  (command: Command, session: ServerSession, capabilities: Capabilities) => boolean,
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

export function defaultReply(command: Command, session: ServerSession, capabilities: Capabilities): string {
  return DEFAULT_BY_STAGE[command.stage](command, session, capabilities);
}

const DEFAULT_BY_STAGE: Record<
  CommandStage,
  (command: Command, session: ServerSession, capabilities: Capabilities) => string
> = {
  ehlo: (_, session, capabilities) => {
    const lines = [
      session.reply("hello"),
      ...capabilities.extensions,
      ...(capabilities.startTls ? ["STARTTLS"] : []),
    ];
    return lines.map((line, index) => `250${index === lines.length - 1 ? " " : "-"}${line}`).join("\n");
  },
  helo: (_, session) => `250 ${session.reply("hello")}`,
  starttls: () => "220 2.0.0 Ready to start TLS",
  mail: (_, session) => session.reply("mail"),
  rcpt: ({ address = "" }, session) => {
    if (session.recipients.length >= MAX_RECIPIENTS) return session.reply("too_many_recipients");
    const truth = session.truth(address) ?? "not_here";
    return session.reply(truth === "catch_all" ? "exists" : truth);
  },
  data: () => "554 5.7.1 Error: this lab accepts no messages",
  rset: () => "250 2.0.0 Ok",
  quit: (_, session) => session.reply("quit"),
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
