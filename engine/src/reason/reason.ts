/** The verdict as one sentence for people, in the reader's language. */
import type { Language } from "@mailvet/contract/words";
import type { Evidence } from "../evidence.ts";
import { knownOutcome } from "../known-outcome.ts";
import { isUnproven, type Verdict } from "../verdict.ts";
import { GERMAN } from "./reason-texts.de.ts";
import { ENGLISH, type ReasonTexts } from "./reason-texts.ts";

const TEXTS: Record<Language, ReasonTexts> = { en: ENGLISH, de: GERMAN };

export function reasonOf(evidence: Evidence, verdict: Verdict, language: Language = "en"): string {
  const texts = TEXTS[language];
  const domain = evidence.address?.unicodeDomain ?? texts.domain;
  const server = evidence.mailbox?.mxHost ?? texts.serverOf(domain);
  const sentence = texts.reasons[verdict.subStatus]({ evidence, domain, server });
  const startsWithName = sentence.slice(0, sentence.indexOf(" ")).includes("."); // a host name keeps its case
  const capitalised = startsWithName ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return `${capitalised}${decoySentence(texts, evidence, verdict)}${outcomeSentence(texts, evidence, verdict)}`;
}

/** The mailbox was accepted and the reply to the decoy was inconclusive: that reply decided, so it is quoted. */
function decoySentence(texts: ReasonTexts, { mailbox, decoy }: Evidence, { status }: Verdict): string {
  if (status !== "unknown" || mailbox?.answer !== "accepted" || !decoy?.reply) return "";
  const { code, enhanced, text } = decoy.reply;
  const words = [code, enhanced, text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").slice(0, MAX_QUOTE)]
    .filter(Boolean)
    .join(" ");
  return texts.decoyReply(words.replace(/\.$/, ""));
}

const MAX_QUOTE = 120;

/** Mentioned only where it changed the result: on an unproven mailbox, or after a spam complaint. */
function outcomeSentence(texts: ReasonTexts, evidence: Evidence, verdict: Verdict): string {
  const outcome = knownOutcome(evidence);
  if (outcome === undefined) return "";
  return isUnproven(verdict) || (outcome === "complained" && verdict.isValid) ? texts.outcomes[outcome] : "";
}
