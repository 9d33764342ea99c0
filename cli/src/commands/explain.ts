/** mailvet explain: what does this SMTP reply mean, who is refused, and what to do about it. */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import {
  type MailboxFact,
  type Meaning,
  parseReply,
  REPLY_STAGES,
  type ReplyCategory,
  type ReplyStage,
  readReply,
} from "@mailvet/engine";
import { type Command, CommanderError, Option } from "commander";
import { linesOf } from "../check/line-reader.ts";
import { type Paint, paintFor } from "../output/terminal.ts";

/** One reply in its context, as the command line or a JSON line gives it. */
export type Question = { stage: ReplyStage; reply: string; mx?: string; recipient?: string };

type ExplainOptions = { stage: ReplyStage; mx?: string; recipient?: string; json?: true };

export function addExplainCommand(program: Command): void {
  program
    .command("explain")
    .summary("say what a mail server's reply means")
    .description(
      "Say what a mail server's reply means: who or what is refused, why we read it so, and what to do.",
    )
    .argument("[reply...]", "the reply, as the server sent it; JSON lines on standard input when left out")
    .addOption(
      new Option("-s, --stage <stage>", "the step that was answered")
        .choices([...REPLY_STAGES])
        .default("rcpt"),
    )
    .option("-m, --mx <host>", "the host name of the mail server")
    .option(
      "-r, --recipient <address>",
      "the address that was asked about, so that its echo is not read as a reason",
    )
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
On standard input each line is {"stage": "rcpt", "reply": "550 …", "mx": "…"}, where stage and mx may be
left out; each gets one line {"meaning": …, "mailbox": …} in the same order, or {"error": …}.
A line break inside a reply is written \\n.

Examples:
  mailvet explain "550 5.1.1 User unknown"
  mailvet explain --stage banner "554 5.7.1 Blocked"
  mailvet explain < replies.jsonl > meanings.jsonl

Exit code 0 when it ran; 2 when the command could not be understood.`,
    )
    .action(async (words: string[], options: ExplainOptions) => {
      if (words.length > 0) return explainOne(words.join(" "), options, process.stdout);
      if (process.stdin.isTTY) {
        throw new CommanderError(
          2,
          "mailvet.nothing",
          "give a reply to explain, or JSON lines on standard input",
        );
      }
      await explainLines(process.stdin, process.stdout);
    });
}

function explainOne(words: string, options: ExplainOptions, out: Writable & { isTTY?: boolean }): void {
  const question: Question = { ...options, reply: words.replaceAll("\\r", "").replaceAll("\\n", "\n") };
  const meaning = meaningOf(question);
  out.write(options.json ? `${answerOf(meaning)}\n` : cardOf(question, meaning, paintFor(out)));
}

const MAX_LINE_BYTES = 1024 * 1024;

/** Answers every line with one line, in order. A line that is no question is answered with an error. */
export async function explainLines(input: Readable, output: Writable): Promise<void> {
  for await (const line of linesOf(input, MAX_LINE_BYTES)) {
    if (!output.write(`${answerTo(line)}\n`)) await once(output, "drain");
  }
}

/** Whatever goes wrong with one line is said there, and the next one has its turn. */
function answerTo(line: string): string {
  try {
    const question = readQuestion(line);
    return "error" in question ? JSON.stringify(question) : answerOf(meaningOf(question));
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}

function meaningOf({ stage, reply, mx, recipient }: Question): Meaning {
  return readReply({ stage, reply: parseReply(reply), mx, recipient });
}

function answerOf({ category, mailbox, why, rule, retryAfterSeconds }: Meaning): string {
  return JSON.stringify({ meaning: category, mailbox, why, rule, retry_after: retryAfterSeconds });
}

/** Names of steps as other tools write them. */
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

function readQuestion(line: string): Question | { error: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { error: "this line is not JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { error: 'a line is an object {"stage": …, "reply": …}' };
  }
  const { stage = "rcpt", reply, mx, recipient } = value as Record<string, unknown>;
  if (typeof reply !== "string") return { error: '"reply" is missing or not a string' };
  const known =
    typeof stage === "string" ? STAGE_NAMES.get(stage.toLowerCase().replaceAll(" ", "_")) : undefined;
  if (!known) return { error: `"stage" is one of ${REPLY_STAGES.join(", ")}` };
  return {
    stage: known,
    reply,
    ...(typeof mx === "string" && { mx }),
    ...(typeof recipient === "string" && { recipient }),
  };
}

type Advice = readonly [refused: string, advice: string];

/** Who is refused, and what to do about it. */
const ADVICE: Record<ReplyCategory, Advice> = {
  accepted: ["nobody", "ask for a made-up name too, to see whether the server takes any name"],
  mailbox_not_found: ["the mailbox", "stop; there is nobody to write to"],
  mailbox_full: ["the mailbox", "try once more the next day"],
  mailbox_disabled: ["the mailbox", "stop; it exists but takes no mail"],
  domain_not_accepted: ["the domain", "try the other mail servers of the domain; it is final when all agree"],
  greylisted: ["us, for now", "come back from the same address with the same sender and recipient"],
  rate_limited: ["us, for now", "slow down at this provider"],
  ip_blocked: [
    "us: our address",
    "stop asking this provider from this address; check reverse DNS and blocklists",
  ],
  sender_rejected: ["us: our sender", "check the EHLO name, the MAIL FROM domain, its SPF and its MX"],
  policy_rejected: ["the message", "do not retry; the server gives a rule of its own as the reason"],
  tls_required: ["us: our connection", "connect again and use STARTTLS"],
  auth_required: [
    "us: an outside sender",
    "try another mail server; this one wants a login, or the address is for insiders",
  ],
  temporary_failure: ["nobody", "try again later, with growing gaps"],
  protocol_error: ["the command", "look at the conversation: a bug of ours, or a proxy in between"],
  message_too_big: ["the message", "ask without a SIZE"],
};

/** Where the server gave no reason, or no proof, the advice of the category would claim too much. */
const EXCEPTIONS: readonly [isSo: (question: Question, meaning: Meaning) => boolean, Advice][] = [
  [
    (_, { rule }) => rule === "code-0",
    ["nobody can tell", "give the whole reply, from its three-digit code on"],
  ],
  [
    (_, { rule, category }) => category === "policy_rejected" && rule.startsWith("code-"),
    ["nobody can tell", "no reason given: treat the mailbox as unknown"],
  ],
  [
    ({ stage }, { category }) => category === "accepted" && stage !== "rcpt",
    ["nobody", "go on to the next step"],
  ],
  [
    (_, { category, mailbox }) => category.startsWith("mailbox_") && mailbox === "unknown",
    ["the mailbox, it seems", "it proves nothing: treat the mailbox as unknown"],
  ],
  [
    ({ stage }, { category, mailbox }) =>
      stage === "rcpt" &&
      mailbox === "exists" &&
      (category === "auth_required" || category === "policy_rejected"),
    [
      "us: an outside sender",
      "the mailbox takes mail from inside senders only; ask its owner for another address",
    ],
  ],
  [
    (_, { category, mailbox }) => category === "accepted" && mailbox === "unknown",
    ["nobody", "treat the mailbox as unknown"],
  ],
];

function adviceFor(question: Question, meaning: Meaning): Advice {
  const exception = EXCEPTIONS.find(([isSo]) => isSo(question, meaning));
  return exception?.[1] ?? ADVICE[meaning.category];
}

const MAILBOX_WORDS: Record<MailboxFact, string> = {
  exists: "exists",
  does_not_exist: "does not exist",
  exists_but_undeliverable: "exists, but cannot be delivered to",
  unknown: "unknown: this reply says nothing about it",
};

function cardOf(question: Question, meaning: Meaning, paint: Paint): string {
  const [refused, advice] = adviceFor(question, meaning);
  const hasCode = parseReply(question.reply).code > 0;
  const wait = meaning.retryAfterSeconds === undefined ? "" : `${meaning.retryAfterSeconds} seconds, it says`;
  const rows: [string, string][] = [
    ["reply code", hasCode ? "" : "there is no reply code in this; only its words were read"],
    ["mailbox", MAILBOX_WORDS[meaning.mailbox]],
    ["refused", refused],
    ["why", `${meaning.why} (${meaning.rule})`],
    ["wait", wait],
    ["what to do", advice],
  ];
  const lines = rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `  ${paint("dim", name.padEnd(11))} ${value}`);
  const headline = `${paint("bold", meaning.category)}  ${paint("dim", `answer to ${question.stage.toUpperCase()}`)}`;
  return `${[headline, ...lines].join("\n")}\n`;
}
