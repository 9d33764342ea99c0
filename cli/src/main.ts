/** mailvet on the command line: which commands there are, and how they fail. */
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { Interrupted } from "./interruption.ts";
import { ServiceFailure } from "./remote/service.ts";

const SERVICE_FAILED = 1;
const BAD_USAGE = 2;

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Each with what adds it to the program, in the order of the help. */
const COMMANDS = new Map<string, () => Promise<(program: Command) => void>>([
  ["check", async () => (await import("./commands/check.ts")).addCheckCommand],
  ["domain", async () => (await import("./commands/domain.ts")).addDomainCommand],
  ["clean", async () => (await import("./commands/clean.ts")).addCleanCommand],
  ["explain", async () => (await import("./commands/explain.ts")).addExplainCommand],
  ["doctor", async () => (await import("./commands/doctor.ts")).addDoctorCommand],
  ["lists", async () => (await import("./commands/lists.ts")).addListsCommand],
  ["job", async () => (await import("./commands/job.ts")).addJobCommand],
  ["feedback", async () => (await import("./commands/feedback.ts")).addFeedbackCommand],
  ["account", async () => (await import("./commands/account.ts")).addAccountCommand],
]);

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
  AI_ENHANCEMENT=off        no opinion of mailbox names
  LOCAL_LISTS=file          your own list: lines "allow example.com" and "deny example.net"
  MAILVET_SERVICE=url       a Mailvet service to ask instead of the engine on this machine
  MAILVET_API_KEY=key       the key to ask it with`,
  );

// Only the one that is named: the engine, say, takes longer to load than a service to answer.
const named = COMMANDS.get(process.argv[2] ?? "");
for (const load of named ? [named] : COMMANDS.values()) (await load())(program);

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
  if (error instanceof ServiceFailure || isBadSettings(error)) {
    process.stderr.write(`mailvet: ${error.message}\n`);
    return error instanceof ServiceFailure ? SERVICE_FAILED : BAD_USAGE;
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

/** By its name: whoever throws it has loaded the engine, and nobody else needs to. */
function isBadSettings(error: unknown): error is Error {
  return error instanceof Error && error.name === "BadSettings";
}
