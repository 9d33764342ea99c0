/** Stages after DNS: the server's response, the catch-all test, and the model's rating of the mailbox name. */
import type { ValidationResult as Result } from "@mailvet/contract";
import { formatPercent } from "../../components/number-format.ts";
import { messages } from "./messages.tsx";
import { type Fact, type Outcome, type Stage, skipped, stage } from "./stage.ts";

export function smtpStage(result: Result): Stage {
  const { details, flags, sub_status, catchall } = result;
  const { smtp } = messages;
  const build = stage("smtp", smtp.title);
  const answered = (outcome: Outcome, [word, meaning]: readonly [string, string]) =>
    build({ outcome, word, meaning, facts: [], ...quoted(result) });

  if (!details.dns_valid) return build(skipped(smtp.noServer));
  if (flags.includes("smtp_not_asked")) return build(skipped(smtp.notAsked));
  if (details.smtp_valid) {
    const [word, meaning] = smtp.accepted;
    return build({
      outcome: "good",
      word,
      meaning,
      facts: [],
      ...(isReplyToDecoy(result) ? {} : quoted(result)),
    });
  }
  if (catchall.is_catchall) return build({ ...skipped(smtp.knownCatchAll), ...quoted(result) });
  if (details.smtp_code === 0) {
    const isUnsupported = sub_status === "smtputf8_unsupported";
    const [word, meaning] = smtp.noAnswer;
    return build({
      outcome: isUnsupported ? "bad" : "open",
      word: isUnsupported ? smtp.unsupported : word,
      meaning: smtp.silence[sub_status] ?? meaning,
      facts: [],
    });
  }
  if (result.status === "invalid") return answered("bad", smtp.rejected);
  if (sub_status === "mailbox_full") return answered("warn", smtp.full);
  if (sub_status === "restricted") return answered("warn", smtp.restricted);
  // The verdict has another cause, so the result does not say whether the server rejected the mailbox or the probe.
  if (sub_status === "disposable") return answered("open", smtp.notAccepted);
  return answered("open", smtp.inconclusive);
}

/** The quoted reply is the one that decided, which can be the reply to the decoy. */
function isReplyToDecoy({ details }: Result): boolean {
  return details.smtp_valid && (details.smtp_code === 0 || details.smtp_code >= 400);
}

function quoted({ details }: Result): Pick<Stage, "quote"> {
  const { smtp_code, smtp_enhanced_code, smtp_message, mx_host } = details;
  if (smtp_code === 0) return {};
  const line = [smtp_code, smtp_enhanced_code, smtp_message].filter(Boolean).join(" ");
  return { quote: { who: mx_host || messages.smtp.server, line } };
}

export function catchAllStage(result: Result): Stage {
  const { catchall, metadata, details } = result;
  const { catchAll } = messages;
  const build = stage("catch-all", catchAll.title);
  if (!metadata.features_used.catchall_detection) return build(skipped(catchAll.skipped));
  const facts: Fact[] =
    catchall.confidence === null ? [] : [[catchAll.confidence, formatPercent(catchall.confidence)]];
  const answered = (outcome: Outcome, [word, meaning]: readonly [string, string]) =>
    build({ outcome, word, meaning, facts });

  if (catchall.is_catchall) return answered("warn", catchAll.found);
  if (isReplyToDecoy(result)) return { ...answered("open", catchAll.inconclusive), ...quoted(result) };
  if (!details.smtp_valid) return answered("open", catchAll.irrelevant);
  return answered("good", catchAll.rejected);
}

export function aiStage({ ai_enhancement: ai, sub_status }: Result): Stage {
  const texts = messages.ai;
  const isRandom = sub_status === "low_quality";
  const reasons = ai.reasons.length === 0 ? "" : texts.reasons(ai.reasons);
  return stage(
    "ai",
    texts.title,
  )({
    outcome: isRandom ? "warn" : "open",
    word: isRandom ? texts.random : tendency(ai.score),
    meaning: `${isRandom ? texts.randomMeaning : texts.meaning}${reasons}`,
    facts: [
      [texts.method, ai.method ?? "–"],
      ...(ai.score === null ? [] : [[texts.score, formatPercent(ai.score)] as const]),
    ],
  });
}

function tendency(score: number | null): string {
  if (score === null || (score > 0.4 && score < 0.6)) return messages.ai.undecided;
  return score > 0.5 ? messages.ai.likely : messages.ai.unlikely;
}
