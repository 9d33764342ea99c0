/** mailvet feedback: tells a service what became of messages, from a file or one by one. */
import { existsSync } from "node:fs";
import type { FeedbackSummary } from "@mailvet/contract";
import { OUTCOMES, type Outcome } from "@mailvet/contract/words";
import type { Command } from "commander";
import { listenForInterruption, whenInterrupted } from "../interruption.ts";
import { printable } from "../output/terminal.ts";
import { addServiceOptions, badUsage, type ServiceOptions, serviceFrom } from "../remote/service.ts";
import { fileAt } from "../remote/upload-file.ts";

const LOOKS_LIKE_EMAIL = /^[^/\s]+@[^/\s]+$/;

type FeedbackOptions = ServiceOptions & { json?: true };

export function addFeedbackCommand(program: Command): void {
  const feedback = program
    .command("feedback")
    .summary("tell a service what became of messages, so that it learns")
    .description(
      "Tell a Mailvet service what became of messages: a file as your mail service exports it, or one mailbox and its " +
        "outcome. The account's scores learn from it, and mailboxes that bounced are known from then on.",
    )
    .argument(
      "<file-or-email>",
      "a CSV file (also TSV, semicolons, pipes, or .gz of them), - for standard input; or an email",
    )
    .argument("[outcome]", `what became of the message to that email: ${OUTCOMES.join(", ")}`)
    .option("--json", "print the answer as the API returns it");
  addServiceOptions(feedback)
    .addHelpText(
      "after",
      `
In a file the columns are found by what is in them: one with emails, one with words such as delivered, bounce or spam,
and one with the time, if there is one. Soft bounces and delays say nothing about a mailbox and are counted as ignored.
It costs nothing, and telling the same twice changes nothing.

Examples:
  export MAILVET_SERVICE=https://mailvet.example.com MAILVET_API_KEY=…
  mailvet feedback bounces.csv
  mailvet feedback ann@example.com bounced

Exit code 0 when it was told; 1 when the service refused or could not be reached; 2 when the command could not be
understood; 130 when it was interrupted.`,
    )
    .action(tell);
}

async function tell(what: string, outcome: string | undefined, options: FeedbackOptions): Promise<void> {
  if (outcome !== undefined && !isOutcome(outcome))
    throw badUsage(`the outcome must be one of ${OUTCOMES.join(", ")}`);
  if (outcome === undefined && LOOKS_LIKE_EMAIL.test(what) && !existsSync(what))
    throw badUsage(`say also what became of the message: mailvet feedback ${what} bounced`);
  const service = serviceFrom(options);
  if (!service) throw badUsage("name the service with --service URL or MAILVET_SERVICE");
  const { feedback } = service.client;
  using interruption = listenForInterruption();
  const { signal } = interruption;
  try {
    const summary = await whenInterrupted(
      "what was told so far is kept; telling all of it again does no harm",
      outcome === undefined
        ? feedback.upload(await fileAt(what), { signal })
        : feedback.tell({ email: what, outcome }, { signal }),
    );
    process.stdout.write(`${options.json ? JSON.stringify(summary) : inWords(summary)}\n`);
  } catch (error) {
    throw service.explain(error);
  }
}

function isOutcome(word: string): word is Outcome {
  return (OUTCOMES as readonly string[]).includes(word);
}

export function inWords(summary: FeedbackSummary): string {
  const count = (number: number) => number.toLocaleString("en");
  const counts: [number, string][] = [
    [summary.matched, "of them about a mailbox that had been checked before"],
    [summary.superseded, "about a mailbox of which something newer is known"],
    [summary.ignored, "ignored: soft bounces, delays, the sandbox, or of too long ago"],
    [summary.unreadable, "not understood"],
  ];
  const rows = counts
    .filter(([number]) => number > 0)
    .map(([number, words]) => `  ${count(number)} ${words}`);
  const trouble = summary.unreadable_rows.map(({ row, reason }) => `    row ${row}: ${printable(reason)}`);
  return [`${count(summary.stored)} of ${count(summary.received)} outcomes stored`, ...rows, ...trouble].join(
    "\n",
  );
}
