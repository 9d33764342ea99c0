/** mailvet explain: interprets an SMTP reply: its meaning, what was rejected, and what to do. */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type ExplainedReply,
  explainReply,
  linesOf,
  type MailboxFact,
  parseReply,
  REPLY_STAGES,
  type ReplyCategory,
  type ReplyStage,
} from "@mailvet/engine";
import { type Command, CommanderError, Option } from "commander";
import { type Paint, paintFor } from "../output/terminal.ts";

/** One reply and its context, from the command line or a JSON line. */
export type ExplainRequest = { stage: ReplyStage; reply: string; mx?: string; recipient?: string };

type ExplainOptions = { stage: ReplyStage; mx?: string; recipient?: string; json?: true };

export function addExplainCommand(program: Command): void {
  program
    .command("explain")
    .summary("explain an SMTP reply")
    .description(
      "Explain an SMTP reply: what it means, what was rejected, which rule matched, and what to do.",
    )
    .argument(
      "[reply...]",
      "reply as sent by the server; - reads it from standard input (default: JSON lines from standard input)",
    )
    .addOption(
      new Option("-s, --stage <stage>", "command that the reply answers")
        .choices([...REPLY_STAGES])
        .default("rcpt"),
    )
    .option("-m, --mx <host>", "host name of the mail server")
    .option("-r, --recipient <address>", "address in RCPT TO, so that its echo in the reply is ignored")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
JSON lines are {"stage": "rcpt", "reply": "550 …", "mx": "…"}; stage and mx are optional.
Each line gets one line of output, {"meaning": …, "mailbox": …} or {"error": …}, in the same order.
Write a line break inside a reply as \\n.

Examples:
  mailvet explain "550 5.1.1 User unknown"
  mailvet explain --stage banner "554 5.7.1 Blocked"
  mailvet explain - < reply.txt
  mailvet explain < replies.jsonl > meanings.jsonl

Exit codes:
  0    success
  2    invalid usage`,
    )
    .action(async (args: string[], options: ExplainOptions) => {
      if (args.length === 1 && args[0] === "-")
        return explainOne((await text(process.stdin)).trimEnd(), options, process.stdout);
      if (args.length > 0) return explainOne(args.join(" "), options, process.stdout);
      if (process.stdin.isTTY) {
        throw new CommanderError(
          2,
          "mailvet.nothing",
          "nothing to explain: give a reply, or JSON lines on standard input",
        );
      }
      await explainLines(process.stdin, process.stdout);
    });
}

function explainOne(reply: string, options: ExplainOptions, out: Writable & { isTTY?: boolean }): void {
  const request: ExplainRequest = { ...options, reply: reply.replaceAll("\\r", "").replaceAll("\\n", "\n") };
  const explained = explainReply(request.reply, request);
  out.write(options.json ? `${JSON.stringify(explained)}\n` : cardOf(request, explained, paintFor(out)));
}

const MAX_LINE_BYTES = 1024 * 1024;

/** Writes one line for every input line, in order. An invalid line gets an error object. */
export async function explainLines(input: Readable, output: Writable): Promise<void> {
  for await (const line of linesOf(input, MAX_LINE_BYTES)) {
    if (!output.write(`${explainLine(line)}\n`)) await once(output, "drain");
  }
}

/** An error concerns its own line only. */
function explainLine(line: string): string {
  try {
    const request = parseRequest(line);
    return JSON.stringify("error" in request ? request : explainReply(request.reply, request));
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}

/** Includes the names that other tools use. */
const STAGE_NAMES: ReadonlyMap<string, ReplyStage> = new Map([
  ["banner", "banner"],
  ["connect", "banner"],
  ["greeting", "banner"],
  ["ehlo", "ehlo"],
  ["helo", "ehlo"],
  ["mail", "mail"],
  ["mail_from", "mail"],
  ["rcpt", "rcpt"],
  ["rcpt_to", "rcpt"],
]);

function parseRequest(line: string): ExplainRequest | { error: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { error: "line is not JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { error: 'line must be an object {"stage": …, "reply": …}' };
  }
  const { stage = "rcpt", reply, mx, recipient } = value as Record<string, unknown>;
  if (typeof reply !== "string") return { error: '"reply" is missing or not a string' };
  const known =
    typeof stage === "string" ? STAGE_NAMES.get(stage.toLowerCase().replaceAll(" ", "_")) : undefined;
  if (!known) return { error: `"stage" must be one of ${REPLY_STAGES.join(", ")}` };
  return {
    stage: known,
    reply,
    ...(typeof mx === "string" && { mx }),
    ...(typeof recipient === "string" && { recipient }),
  };
}

type Advice = readonly [rejected: string, advice: string];

/** What the server rejected, and what to do about it. */
const ADVICE: Record<ReplyCategory, Advice> = {
  accepted: ["nothing", "probe a made-up mailbox too, to rule out a catch-all"],
  mailbox_not_found: ["the mailbox", "do not send; the mailbox does not exist"],
  mailbox_full: ["the mailbox", "retry once, the next day"],
  mailbox_disabled: ["the mailbox", "do not send; the mailbox exists but is disabled"],
  domain_not_accepted: ["the domain", "try the other mail servers of the domain; final if all agree"],
  greylisted: [
    "the client, temporarily",
    "retry from the same IP address with the same sender and recipient",
  ],
  rate_limited: ["the client, temporarily", "slow down for this provider"],
  ip_blocked: [
    "the client: its IP address",
    "stop probing this provider from this IP address; check reverse DNS and blocklists",
  ],
  sender_rejected: ["the client: its sender", "check the EHLO name, and SPF and MX of the MAIL FROM domain"],
  policy_rejected: ["the message", "do not retry; a policy of the server rejects it"],
  tls_required: ["the client: its connection", "reconnect and use STARTTLS"],
  auth_required: [
    "the client: not authenticated",
    "try another mail server; this one requires a login, or the address accepts internal senders only",
  ],
  temporary_failure: ["nothing", "retry later, with exponential back-off"],
  protocol_error: ["the command", "inspect the SMTP dialogue: a client bug, or a proxy in between"],
  message_too_big: ["the message", "retry without SIZE"],
};

/** Cases in which the advice of the meaning would claim more than the reply proves. */
const EXCEPTIONS: readonly [applies: (request: ExplainRequest, reply: ExplainedReply) => boolean, Advice][] =
  [
    [
      (_, { rule }) => rule === "code-0",
      ["unknown", "give the whole reply, starting with its three-digit code"],
    ],
    [
      (_, { rule, meaning }) => meaning === "policy_rejected" && rule.startsWith("code-"),
      ["unknown", "no reason given: treat the mailbox as unknown"],
    ],
    [
      ({ stage }, { meaning }) => meaning === "accepted" && stage !== "rcpt",
      ["nothing", "continue with the next command"],
    ],
    [
      (_, { meaning, mailbox }) => meaning.startsWith("mailbox_") && mailbox === "unknown",
      ["the mailbox, probably", "not proof: treat the mailbox as unknown"],
    ],
    [
      ({ stage }, { meaning, mailbox }) =>
        stage === "rcpt" &&
        mailbox === "exists" &&
        (meaning === "auth_required" || meaning === "policy_rejected"),
      [
        "the client: an external sender",
        "the mailbox accepts internal senders only; ask its owner for another address",
      ],
    ],
    [
      (_, { meaning, mailbox }) => meaning === "accepted" && mailbox === "unknown",
      ["nothing", "treat the mailbox as unknown"],
    ],
  ];

function adviceFor(request: ExplainRequest, reply: ExplainedReply): Advice {
  const exception = EXCEPTIONS.find(([applies]) => applies(request, reply));
  return exception?.[1] ?? ADVICE[reply.meaning];
}

const MAILBOX_TEXTS: Record<MailboxFact, string> = {
  exists: "exists",
  does_not_exist: "does not exist",
  exists_but_undeliverable: "exists, but does not accept mail",
  unknown: "unknown: the reply does not say",
};

function cardOf(request: ExplainRequest, reply: ExplainedReply, paint: Paint): string {
  const [rejected, advice] = adviceFor(request, reply);
  const hasCode = parseReply(request.reply).code > 0;
  const wait =
    reply.retry_after === undefined ? "" : `${reply.retry_after} seconds, as requested by the server`;
  const rows: [string, string][] = [
    ["reply code", hasCode ? "" : "missing; only the text was interpreted"],
    ["mailbox", MAILBOX_TEXTS[reply.mailbox]],
    ["rejected", rejected],
    ["why", `${reply.why} (${reply.rule})`],
    ["retry after", wait],
    ["what to do", advice],
  ];
  const lines = rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `  ${paint("dim", name.padEnd(11))} ${value}`);
  const headline = `${paint("bold", reply.meaning)}  ${paint("dim", `reply to ${request.stage.toUpperCase()}`)}`;
  return `${[headline, ...lines].join("\n")}\n`;
}
