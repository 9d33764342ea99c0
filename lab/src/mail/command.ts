/** One line of a client, read: its verb, and the address and parameters of MAIL and RCPT. */
import type { CommandStage } from "./temperament.ts";

export type Command = {
  /** In capitals; UNKNOWN when it is none that SMTP knows, so that counts by verb stay few. */
  readonly verb: string;
  readonly stage: CommandStage;
  readonly argument: string;
  /** `undefined` when MAIL or RCPT has none that can be read; "" is the null sender. */
  readonly address: string | undefined;
  readonly parameters: readonly string[];
};

const STAGES: Readonly<Record<string, CommandStage>> = {
  EHLO: "ehlo",
  HELO: "helo",
  STARTTLS: "starttls",
  MAIL: "mail",
  RCPT: "rcpt",
  DATA: "data",
  RSET: "rset",
  QUIT: "quit",
  ...Object.fromEntries(
    ["NOOP", "VRFY", "EXPN", "HELP", "AUTH", "BDAT", "ETRN"].map((verb) => [verb, "other"]),
  ),
};

const PATH_PREFIX: Partial<Record<CommandStage, string>> = { mail: "FROM:", rcpt: "TO:" };

export function readCommand(line: string): Command {
  const space = line.indexOf(" ");
  const word = (space === -1 ? line : line.slice(0, space)).toUpperCase();
  const argument = space === -1 ? "" : line.slice(space + 1).trim();
  const verb = Object.hasOwn(STAGES, word) ? word : "UNKNOWN";
  const stage = STAGES[verb] ?? "other";
  const prefix = PATH_PREFIX[stage];
  if (prefix === undefined) return { verb, stage, argument, address: undefined, parameters: [] };
  return { verb, stage, argument, ...readPath(argument, prefix) };
}

function readPath(argument: string, prefix: string): Pick<Command, "address" | "parameters"> {
  const path = argument.slice(prefix.length).trimStart();
  // A quoted local part may hold ">", parameters may not, so the last one ends the path.
  const end = path.lastIndexOf(">");
  if (!argument.toUpperCase().startsWith(prefix) || !path.startsWith("<") || end === -1) {
    return { address: undefined, parameters: [] };
  }
  const parameters = path
    .slice(end + 1)
    .split(" ")
    .filter(Boolean);
  return { address: path.slice(1, end), parameters: parameters.map((parameter) => parameter.toUpperCase()) };
}
