/** The corpus of replies: what servers said, and what each of them means. */
import { readFileSync } from "node:fs";
import type { MailboxFact, ReplyCategory, ReplyStage } from "../../src/smtp/meaning.ts";

export type CorpusRow = {
  stage: ReplyStage;
  reply: string;
  mx?: string;
  meaning: ReplyCategory;
  mailbox: MailboxFact;
};

export const CORPUS: readonly CorpusRow[] = readFileSync(new URL("replies.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
