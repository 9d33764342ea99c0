/**
 * The verdict that an address would get from one reply: all stages before it succeeded, and the server rejects
 * decoys.
 */
import type { Evidence } from "../../src/evidence.ts";
import { createInspection } from "../../src/offline-inspection.ts";
import { reasonOf } from "../../src/reason/reason.ts";
import { loadDisposables } from "../../src/reference/disposable.ts";
import { mailHostOf, mailProviderOf } from "../../src/reference/mail-provider.ts";
import { interpretReply } from "../../src/smtp/mailbox-finding.ts";
import { type Meaning, REPLY_STAGES, type ReplyStage } from "../../src/smtp/meaning.ts";
import { parseReply, type Reply } from "../../src/smtp/reply.ts";
import { profileOf } from "../../src/smtp/throttle/provider-profile.ts";
import { decide, type Verdict } from "../../src/verdict.ts";

export type ReplayRow = {
  stage?: ReplyStage;
  /** The reply in parts, as in logs … */
  code?: number;
  enhanced?: string;
  text?: string;
  /** … or as the server sent it, with all lines. */
  reply?: string;
  /** A provider's slug, or the name of the mail host. */
  provider?: string;
  mx?: string;
  email?: string;
  /** EHLO name and sender of the client. */
  our_names?: readonly string[];
};

export type Replayed = Pick<Verdict, "status" | "subStatus" | "confidence" | "isValid"> & {
  reason: string;
  rule: Meaning["rule"];
};

const inspect = createInspection({ disposables: loadDisposables(), exemptSpecialUse: ["example", "test"] });
const EMAIL = "anna.lindqvist@replay.example";

export function replay(row: ReplayRow): Replayed {
  const { stage = "rcpt" } = row;
  if (!REPLY_STAGES.includes(stage)) throw new Error(`stage is one of ${REPLY_STAGES.join(", ")}`);
  const mx = row.mx ?? mailHostOf(row.provider ?? "") ?? "";
  const evidence: Evidence = inspect(row.email ?? EMAIL);
  const { normalized, domain } = evidence.address!;
  const provider = row.provider ?? mailProviderOf([mx], domain);
  const said = { stage, reply: replyOf(row), mx, recipient: normalized, ourNames: row.our_names };
  const { finding, meaning } = interpretReply(said, profileOf(provider));
  evidence.provider = provider;
  evidence.route = {
    kind: "mail_hosts",
    hosts: [{ name: mx, addresses: [], preference: 10 }],
    implicit: false,
    isPartial: false,
  };
  evidence.mailbox = finding;
  if (finding.answer === "accepted") evidence.decoy = { answer: "not_found", confidence: 0.95 };
  const verdict = decide(evidence);
  const { status, subStatus, confidence, isValid } = verdict;
  return { status, subStatus, confidence, isValid, reason: reasonOf(evidence, verdict), rule: meaning.rule };
}

function replyOf({ reply, code, enhanced, text = "" }: ReplayRow): Reply {
  if (reply !== undefined) return parseReply(reply);
  const parsed = parseReply(`${code ?? ""} ${enhanced ?? ""} ${text}`.replace(/\s+/g, " ").trim());
  return enhanced === undefined ? parsed : { ...parsed, enhanced };
}
