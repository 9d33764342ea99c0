/** Entry point of the command line: the table of commands, and the mapping of errors to exit codes. */
import { Command, CommanderError } from "commander";
import { Interrupted } from "./interruption.ts";
import { explainSystemError, SystemFailure } from "./output/system-failure.ts";
import { ServiceFailure } from "./remote/service.ts";
import { version } from "./version.ts";

const FAILED = 1;
const BAD_USAGE = 2;

/** In the order of the help. Loaded on demand, see below. */
const COMMANDS = new Map<string, () => Promise<(program: Command) => void>>([
  ["check", async () => (await import("./commands/check.ts")).addCheckCommand],
  ["domain", async () => (await import("./commands/domain.ts")).addDomainCommand],
  ["clean", async () => (await import("./commands/clean.ts")).addCleanCommand],
  ["explain", async () => (await import("./commands/explain.ts")).addExplainCommand],
  ["doctor", async () => (await import("./commands/doctor.ts")).addDoctorCommand],
  ["lists", async () => (await import("./commands/lists.ts")).addListsCommand],
  ["job", async () => (await import("./commands/job.ts")).addJobCommand],
  ["list", async () => (await import("./commands/list.ts")).addListCommand],
  ["feedback", async () => (await import("./commands/feedback.ts")).addFeedbackCommand],
  ["mcp", async () => (await import("./commands/mcp.ts")).addMcpCommand],
  ["account", async () => (await import("./commands/account.ts")).addAccountCommand],
]);

const program = new Command("mailvet")
  .description("Check whether email addresses are valid, without sending mail.")
  .version(version, "-V, --version")
  .showHelpAfterError("Run with --help for usage.")
  .exitOverride()
  .addHelpText(
    "after",
    `
Environment variables:
  DNS_SERVERS=ip[:port],…   resolvers to use instead of the system's
  EHLO_NAME=name            host name to send in EHLO (default: name of this machine)
  MAIL_FROM=address         address to send in MAIL FROM (default: postmaster@EHLO_NAME)
  PROBE_TIMEOUT_SECONDS=30  timeout for opening an SMTP session and for each batch of commands
  CONNECTIONS_PER_HOST=1    concurrent connections to a mail host without a provider profile
  ENGINE_THREADS=number     threads for lists (default: the number of cores minus one, at least 1)
  SOURCE_ADDRESS=ip         local address to connect from
  SOCKS_PROXY=url           connect through socks5://[user:password@]host:port
  EGRESS_FILE=path          several egress identities instead of these (docs/egress.md)
  SMTP_PORT=25              another SMTP port, for tests
  EGRESS_ALLOW=cidr,…       private ranges that may be connected to, for tests; also allows .test domains
  LISTS_DIR=directory       where "mailvet lists refresh" stores reference lists
  AI_ENHANCEMENT=off        do not score mailbox names
  LOCAL_LISTS=file          your own list, with lines "allow example.com" and "deny example.net"
  All of these may have the prefix MAILVET_, and the proxy may be in a file: SOCKS_PROXY_FILE=path.
  MAILVET_SERVICE=url       Mailvet service to use instead of the local engine
  MAILVET_API_KEY=key       API key for the service`,
  );

// Loads only the requested command, because loading the engine takes longer than a request to a service.
const args = process.argv.slice(2);
// Commander's own help command knows no subcommands.
if (args[0] === "help" && COMMANDS.has(args[1] ?? ""))
  args.splice(0, args.length, ...args.slice(1), "--help");
const requested = COMMANDS.get(args[0] ?? "");
for (const load of requested ? [requested] : COMMANDS.values()) (await load())(program);

// A closed pipe (mailvet … | head) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  if (process.stdout.listenerCount("error") > 1) return; // the command has a use for what it could not write
  setImmediate(() => process.exit(exitCodeOf(error))); // a command that waits for the write reports it first, with advice
});

try {
  await program.parseAsync(args, { from: "user" });
} catch (error) {
  process.exitCode = exitCodeOf(error);
  // Exits explicitly, because an open input pipe would keep the process alive.
  if (explainSystemError(error) instanceof SystemFailure) process.exit();
  if (error instanceof ServiceFailure || error instanceof Interrupted)
    process.stdout.write("", () => process.exit());
}

function exitCodeOf(thrown: unknown): number {
  const error = explainSystemError(thrown);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0; // --help and --version
    if (error.code.startsWith("mailvet.")) process.stderr.write(`mailvet: ${error.message}\n`);
    return BAD_USAGE;
  }
  if (error instanceof ServiceFailure || error instanceof SystemFailure || isBadSettings(error)) {
    process.stderr.write(`mailvet: ${error.message}\n`);
    return isBadSettings(error) ? BAD_USAGE : FAILED;
  }
  if (error instanceof Interrupted) {
    process.stderr.write(`mailvet: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(
    `mailvet: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return FAILED;
}

/** Compares the name, because importing the class would load the engine. */
function isBadSettings(error: unknown): error is Error {
  return error instanceof Error && error.name === "BadSettings";
}
