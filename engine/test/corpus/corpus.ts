/**
 * The corpus of replies, each with its meaning.
 *
 * The rows of replies-written.jsonl are written for the test in the manner of a provider or server, and labelled before
 * their first run. They are not quoted from public sources. Those of replies-unseen.jsonl are written in the same way, and
 * labelled with what they prove; half of them are written to mislead. Those of replies-quoted-a.jsonl and -b.jsonl are
 * quoted from public sources, which each row names, and labelled in the same way; likewise set c. Each set was first run
 * after the rules were corrected by the one before.
 */
import { readFileSync } from "node:fs";
import { type MailboxFact, type ReplyCategory, type ReplyStage, severityOf } from "../../src/smtp/meaning.ts";
import { parseReply } from "../../src/smtp/reply.ts";

export type CorpusRow = {
  stage: ReplyStage;
  reply: string;
  mx?: string;
  meaning: ReplyCategory;
  mailbox: MailboxFact;
  email: string;
  /** Provider or server in whose manner the reply is written; in replies-written.jsonl only. */
  family?: string;
};

/** The probed address, unless a row has its own because the reply names another domain. */
const EMAIL = "ann@replay.example";

export const CORPUS: readonly CorpusRow[] = [
  "replies.jsonl",
  "replies-2026.jsonl",
  "replies-written.jsonl",
].flatMap((file) => rowsOf<CorpusRow>(file).map((row) => ({ ...row, email: row.email ?? EMAIL })));

function rowsOf<Row>(file: string): Row[] {
  const lines = readFileSync(new URL(file, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** What a reply proves about a mailbox, if its label is right. */
export type Truth = "live" | "dead" | "unknown";

function truthOf({ stage, reply, meaning, mailbox }: CorpusRow): Truth {
  if (stage !== "rcpt") return "unknown";
  if (mailbox === "exists" || (meaning === "mailbox_full" && mailbox !== "unknown")) return "live";
  if (severityOf(parseReply(reply)) !== 5) return "unknown";
  // "Unknown or disabled": in either case the mailbox receives no mail.
  if (mailbox === "does_not_exist" || meaning === "mailbox_disabled") return "dead";
  return meaning === "domain_not_accepted" ? "dead" : "unknown";
}

/** A reply with what it proves, without a category. */
export type VerdictRow = Pick<CorpusRow, "stage" | "reply" | "mx"> & {
  email?: string;
  our_names?: readonly string[];
  truth: Truth;
  /** Two careful readers may label it differently, so `unknown` is right as well. */
  doubtful?: boolean;
};

/** Every reply of all files. */
export const VERDICT_CORPUS: readonly VerdictRow[] = [
  ...CORPUS.map((row) => ({ ...row, truth: truthOf(row) })),
  ...[
    "replies-unseen.jsonl",
    "replies-quoted-a.jsonl",
    "replies-quoted-b.jsonl",
    "replies-quoted-c.jsonl",
  ].flatMap(rowsOf<VerdictRow>),
];
