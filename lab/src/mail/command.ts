/** Parses an SMTP command: verb, argument, and address and parameters of MAIL and RCPT. */
import type { CommandStage } from "./temperament.ts";

export type Command = {
  /** Upper case; UNKNOWN for any other verb, so that counts by verb are bounded. */
  readonly verb: string;
  readonly stage: CommandStage;
  readonly argument: string;
  /** `undefined` if MAIL or RCPT has no valid path; "" is the null sender. */
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
  const name = (space === -1 ? line : line.slice(0, space)).toUpperCase();
  const argument = space === -1 ? "" : line.slice(space + 1).trim();
  const verb = Object.hasOwn(STAGES, name) ? name : "UNKNOWN";
  const stage = STAGES[verb] ?? "other";
  const prefix = PATH_PREFIX[stage];
  if (prefix === undefined) return { verb, stage, argument, address: undefined, parameters: [] };
  return { verb, stage, argument, ...readPath(argument, prefix) };
}

function readPath(argument: string, prefix: string): Pick<Command, "address" | "parameters"> {
  const path = argument.slice(prefix.length).trimStart();
  // A quoted local part may contain ">", parameters may not, so the last one ends the path.
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
