/** mailvet doctor: a check list of everything outside Mailvet that good verdicts depend on, with what to do. */
import { doctorFrom, type Finding } from "@mailvet/engine";
import type { Command } from "commander";
import { localSettings } from "../local-settings.ts";
import { type Colour, type Paint, paintFor, printable } from "../output/terminal.ts";

const LOOKS: Record<Finding["outcome"], { sign: string; colour: Colour }> = {
  good: { sign: "✔", colour: "green" },
  warning: { sign: "!", colour: "yellow" },
  bad: { sign: "✘", colour: "red" },
  unknown: { sign: "?", colour: "gray" },
};

/** As wide as the longest name. */
const NAME_WIDTH = 22;

const SOMETHING_IS_BAD = 1;

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .summary("find out why checks fail here, and what to do")
    .description(
      "Look at everything outside Mailvet that good verdicts depend on: name servers, port 25, our address " +
        "and its name, the sender's domain, blocklists. Each with what to do about it.",
    )
    .option("--json", "print one JSON object a line: name, outcome, found, advice")
    .addHelpText(
      "after",
      `
Connects once to the mail servers of a few large providers, greets them and leaves; nobody is asked for.
Takes a few seconds, and less than 20 even where nothing answers.

Settings it looks at, from the environment:
  EHLO_NAME=host            the name we greet with; this machine's own name otherwise
  MAIL_FROM=address         the sender we name; postmaster at EHLO_NAME otherwise
  SOURCE_ADDRESS=ip         the address to connect from
  SOCKS_PROXY=socks5://…    the proxy that carries our connections
  SMTP_PORT=port            25 otherwise

Exit code 0 when nothing is bad, 1 when something is; 2 when the command could not be understood.`,
    )
    .action(visit);
}

async function visit({ json }: { json?: true }): Promise<void> {
  const paint = paintFor(process.stdout);
  const doctor = doctorFrom(localSettings());
  try {
    for await (const finding of doctor.examine()) {
      process.stdout.write(`${json ? JSON.stringify(finding) : itemOf(finding, paint)}\n`);
      if (finding.outcome === "bad") process.exitCode = SOMETHING_IS_BAD;
    }
  } finally {
    doctor.close();
  }
}

function itemOf({ name, outcome, found, advice }: Finding, paint: Paint): string {
  const { sign, colour } = LOOKS[outcome];
  const item = `${paint(colour, sign)} ${paint("bold", name.padEnd(NAME_WIDTH))} ${printable(found)}`;
  return advice === undefined ? item : `${item}\n${" ".repeat(NAME_WIDTH + 3)}→ ${printable(advice)}`;
}
