/** mailvet doctor: checks everything outside Mailvet that verdicts depend on, with advice for each problem. */
import { type Diagnosis, doctorFrom } from "@mailvet/engine";
import type { Command } from "commander";
import { localSettings } from "../local-settings.ts";
import { type Colour, type Paint, paintFor, printable } from "../output/terminal.ts";
import { printPlace, type RemoteService, serviceFrom } from "../remote/service.ts";

const STYLES: Record<Diagnosis["outcome"], { sign: string; colour: Colour }> = {
  good: { sign: "✔", colour: "green" },
  warning: { sign: "!", colour: "yellow" },
  bad: { sign: "✘", colour: "red" },
  unknown: { sign: "?", colour: "gray" },
};

/** Width of the longest check name. */
const NAME_WIDTH = 22;

const CHECK_FAILED = 1;

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .summary("diagnose DNS, port 25, sender reputation and settings")
    .description(
      "Check everything outside Mailvet that verdicts depend on: name servers, port 25, IP address and reverse DNS, " +
        "the sender domain, blocklists. Prints advice for each problem.",
    )
    .option(
      "--service <url>",
      "examine a Mailvet service instead of this machine, with its PostgreSQL; needs an operator key in MAILVET_API_KEY",
    )
    .option("--json", "print one JSON object per line: name, identity, outcome, found, advice")
    .addHelpText(
      "after",
      `
Connects once, from each identity, to the mail servers of a few large providers, sends EHLO and QUIT; no mailbox is probed.
Takes a few seconds, and less than 20 even if no server responds.

Environment variables:
  EHLO_NAME=host            host name to send in EHLO (default: name of this machine)
  MAIL_FROM=address         address to send in MAIL FROM (default: postmaster@EHLO_NAME)
  SOURCE_ADDRESS=ip         local address to connect from
  SOCKS_PROXY=socks5://…    proxy for outgoing connections
  EGRESS_FILE=path          several identities instead of these four; each is examined
  SMTP_PORT=port            SMTP port (default: 25)

Exit codes:
  0    no check failed
  1    at least one check failed
  2    invalid usage`,
    )
    .action(examine);
}

async function examine({ json, ...options }: { json?: true; service?: string }): Promise<void> {
  const paint = paintFor(process.stdout);
  const service = serviceFrom({ apiKey: process.env.MAILVET_API_KEY ?? "", ...options });
  const findings = service ? findingsOf(service) : localFindings();
  printPlace(service); // not that of MAILVET_SERVICE, which other commands use: few have an operator key
  let identity: string | undefined;
  for await (const finding of findings) {
    if (!json && finding.identity !== identity) process.stdout.write(headingOf(finding, paint));
    identity = finding.identity;
    process.stdout.write(`${json ? JSON.stringify(finding) : itemOf(finding, paint)}\n`);
    if (finding.outcome === "bad") process.exitCode = CHECK_FAILED;
  }
}

async function* localFindings(): AsyncGenerator<Diagnosis> {
  const doctor = doctorFrom(localSettings());
  try {
    yield* doctor.examine();
  } finally {
    doctor.close();
  }
}

async function* findingsOf({ client, explain }: RemoteService): AsyncGenerator<Diagnosis> {
  const { findings } = await client.operator.runDoctor().catch((error) => {
    throw explain(error);
  });
  for (const { name, outcome, found, identity, advice } of findings)
    yield {
      name,
      outcome,
      found,
      ...(identity !== null && { identity }),
      ...(advice !== null && { advice }),
    };
}

/** Findings about one egress identity have a heading; those about all of them follow an empty line. */
function headingOf({ identity }: Diagnosis, paint: Paint): string {
  return identity === undefined ? "\n" : `\n${paint("bold", identity)}\n`;
}

function itemOf({ name, outcome, found, advice }: Diagnosis, paint: Paint): string {
  const { sign, colour } = STYLES[outcome];
  const item = `${paint(colour, sign)} ${paint("bold", name.padEnd(NAME_WIDTH))} ${printable(found)}`;
  return advice === undefined ? item : `${item}\n${" ".repeat(NAME_WIDTH + 3)}→ ${printable(advice)}`;
}
