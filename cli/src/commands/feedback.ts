/** mailvet feedback: reports delivery outcomes to a service, from a file or for one address. */
import { existsSync } from "node:fs";
import type { FeedbackSummary } from "@mailvet/contract";
import { type DeliveryOutcome, OUTCOMES } from "@mailvet/contract/words";
import type { Command } from "commander";
import { listenForInterruption, withInterruptMessage } from "../interruption.ts";
import { printable } from "../output/terminal.ts";
import { addServiceOptions, badUsage, requireService, type ServiceOptions } from "../remote/service.ts";
import { fileAt } from "../remote/upload-file.ts";

const LOOKS_LIKE_EMAIL = /^[^/\s]+@[^/\s]+$/;

type FeedbackOptions = ServiceOptions & { json?: true };

export function addFeedbackCommand(program: Command): void {
  const feedback = program
    .command("feedback")
    .summary("report bounces and deliveries to a service")
    .description(
      "Report delivery outcomes to a Mailvet service: a file exported by your mail provider, or one address and its " +
        "outcome. They improve the scores of your account, and addresses that bounced are flagged.",
    )
    .argument(
      "<file-or-email>",
      "CSV file (also TSV, semicolons or pipes, optionally .gz), - for standard input, or one email",
    )
    .argument("[outcome]", `outcome for that email: ${OUTCOMES.join(", ")}`)
    .option("--json", "print the response as JSON, as returned by the API");
  addServiceOptions(feedback)
    .addHelpText(
      "after",
      `
The columns of a file are detected from their content: emails, outcomes such as delivered, bounce or spam, and
optionally the time. Soft bounces and delays say nothing about a mailbox and are ignored.
Feedback is free, and reporting the same outcome twice changes nothing.

Examples:
  export MAILVET_SERVICE=https://mailvet.example.com MAILVET_API_KEY=…
  mailvet feedback bounces.csv
  mailvet feedback ann@example.com bounced

Exit codes:
  0    success
  1    the service rejected the request or could not be reached
  2    invalid usage
  130  interrupted`,
    )
    .action(submit);
}

async function submit(target: string, outcome: string | undefined, options: FeedbackOptions): Promise<void> {
  if (outcome !== undefined && !isOutcome(outcome))
    throw badUsage(`the outcome must be one of ${OUTCOMES.join(", ")}`);
  if (outcome === undefined && LOOKS_LIKE_EMAIL.test(target) && !existsSync(target))
    throw badUsage(`the outcome is missing, for example: mailvet feedback ${target} bounced`);
  const service = requireService(options);
  const { feedback } = service.client;
  using interruption = listenForInterruption();
  const { signal } = interruption;
  try {
    const summary = await withInterruptMessage(
      "outcomes sent so far are stored; it is safe to send all of them again",
      outcome === undefined
        ? feedback.upload(await fileAt(target), { signal })
        : feedback.submit({ email: target, outcome }, { signal }),
    );
    process.stdout.write(`${options.json ? JSON.stringify(summary) : summaryText(summary)}\n`);
  } catch (error) {
    throw service.explain(error);
  }
}

function isOutcome(word: string): word is DeliveryOutcome {
  return (OUTCOMES as readonly string[]).includes(word);
}

export function summaryText(summary: FeedbackSummary): string {
  const count = (number: number) => number.toLocaleString("en");
  const counts: [number, string][] = [
    [summary.matched, "of them for addresses checked before"],
    [summary.superseded, "skipped: newer results are already stored"],
    [summary.ignored, "ignored: soft bounces, delays, sandbox addresses, or too old"],
    [summary.unreadable, "unreadable"],
  ];
  const rows = counts.filter(([number]) => number > 0).map(([number, text]) => `  ${count(number)} ${text}`);
  const unreadable = summary.unreadable_rows.map(({ row, reason }) => `    row ${row}: ${printable(reason)}`);
  return [
    `${count(summary.stored)} of ${count(summary.received)} outcomes stored`,
    ...rows,
    ...unreadable,
  ].join("\n");
}
