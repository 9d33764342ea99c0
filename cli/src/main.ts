/** mailvet on the command line: which commands there are, and how they fail. */
import { readFileSync } from "node:fs";
import { BadSettings } from "@mailvet/engine";
import { Command, CommanderError } from "commander";
import { addAccountCommand } from "./account.ts";
import { addCheckCommand } from "./check.ts";
import { addCleanCommand } from "./clean.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addExplainCommand } from "./explain.ts";
import { addFeedbackCommand } from "./feedback.ts";
import { Interrupted } from "./interruption.ts";
import { addJobCommand } from "./job.ts";
import { addListsCommand } from "./lists.ts";
import { ServiceFailure } from "./service.ts";

const SERVICE_FAILED = 1;
const BAD_USAGE = 2;

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const program = new Command("mailvet")
  .description("Find out whether a mailbox exists, without sending it anything.")
  .version(version, "-V, --version")
  .showHelpAfterError("(add --help for what can be said here)")
  .exitOverride()
  .addHelpText(
    "after",
    `
Settings come from the environment:
  DNS_SERVERS=ip[:port],…   resolvers to ask instead of the system's
  EHLO_NAME=name            the name we greet mail servers with; this machine's own name otherwise
  MAIL_FROM=address         the sender we name; postmaster@ the EHLO name otherwise
  PROBE_TIMEOUT_SECONDS=30  time to open a session with a mail server, and for each round of questions
  CONNECTIONS_PER_HOST=1    connections at once to a mail host without a profile of its own
  SOURCE_ADDRESS, SOCKS_PROXY   the address to connect from, or socks5://[user:password@]host:port
  SMTP_PORT=25              another port, for tests
  EGRESS_ALLOW=cidr,…       private ranges that may be connected to, for tests; also makes .test an ordinary name
  LISTS_DIR=directory       where "mailvet lists refresh" keeps fresher reference lists
  LOCAL_LISTS=file          your own list: lines "allow example.com" and "deny example.net"
  MAILVET_SERVICE=url       a Mailvet service to ask instead of the engine on this machine
  MAILVET_API_KEY=key       the key to ask it with`,
  );
addCheckCommand(program);
addCleanCommand(program);
addExplainCommand(program);
addDoctorCommand(program);
addListsCommand(program);
addJobCommand(program);
addFeedbackCommand(program);
addAccountCommand(program);

// A reader that has seen enough (mailvet … | head) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
  // A list that is still being written would keep us here, waiting for addresses that nobody wants any more.
  if (error instanceof ServiceFailure || error instanceof Interrupted)
    process.stdout.write("", () => process.exit());
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0; // --help and --version end this way
    if (error.code.startsWith("mailvet.")) process.stderr.write(`mailvet: ${error.message}\n`);
    return BAD_USAGE;
  }
  if (error instanceof BadSettings || error instanceof ServiceFailure) {
    process.stderr.write(`mailvet: ${error.message}\n`);
    return error instanceof BadSettings ? BAD_USAGE : SERVICE_FAILED;
  }
  if (error instanceof Interrupted) {
    process.stderr.write(`mailvet: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(
    `mailvet: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 1;
}
