/** What the mail server said of the mailbox and of one that nobody has, and what a model makes of the name. */
import type { ValidationResult as Result, SubStatus } from "@mailvet/contract";
import { formatPercent } from "../../shared/number-format.ts";
import { type Fact, type Stage, skipped, stage } from "./stage.ts";

/** Where the server said nothing that could be quoted. */
const SILENCE: Partial<Record<SubStatus, string>> = {
  smtp_unreachable: "No mail server of the domain took our connection.",
  smtp_timeout: "It did not answer in time.",
  smtp_protocol_error: "It broke off, or did not speak SMTP.",
  egress_blocked: "This installation cannot reach any mail server: port 25 is closed on our side.",
  smtputf8_unsupported: "It does not offer to take names with non-ASCII letters.",
};

export function serverStage(result: Result): Stage {
  const { details, flags, sub_status, catchall } = result;
  const told = stage("server", "The mail server's own words");
  if (!details.dns_valid) return told(skipped("There is no mail server to ask."));
  if (flags.includes("smtp_not_asked"))
    return told(
      skipped("The mail server was not asked, by this installation's settings or for lack of need."),
    );
  if (details.smtp_valid)
    return told({
      outcome: "good",
      word: "accepted",
      meaning: "Asked whether it would take a message for this mailbox, it said yes. None was sent.",
      facts: [],
      ...(isAboutMadeUp(result) ? {} : quoted(result)),
    });
  if (catchall.is_catchall)
    return told({
      ...skipped("It is known to accept any name there, so this one was not asked for by itself."),
      ...quoted(result),
    });
  if (details.smtp_code === 0) {
    const isRefusal = sub_status === "smtputf8_unsupported";
    return told({
      outcome: isRefusal ? "bad" : "open",
      word: isRefusal ? "cannot take it" : "no answer",
      meaning: SILENCE[sub_status] ?? "It gave no answer.",
      facts: [],
    });
  }
  if (result.status === "invalid")
    return told({
      outcome: "bad",
      word: "refused",
      meaning: "It refused this mailbox for good.",
      facts: [],
      ...quoted(result),
    });
  if (sub_status === "mailbox_full")
    return told({
      outcome: "warn",
      word: "full",
      meaning: "It knows the mailbox, and has no room left in it.",
      facts: [],
      ...quoted(result),
    });
  if (sub_status === "restricted")
    return told({
      outcome: "warn",
      word: "insiders only",
      meaning: "It knows the mailbox, and takes no mail for it from outside senders.",
      facts: [],
      ...quoted(result),
    });
  // The verdict rests on something else, so the result does not say whom the refusal was aimed at.
  if (sub_status === "disposable")
    return told({
      outcome: "open",
      word: "not accepted",
      meaning: "It did not accept the mailbox, for the reason it gives.",
      facts: [],
      ...quoted(result),
    });
  return told({
    outcome: "open",
    word: "not settled",
    meaning: "It neither took nor refused the mailbox.",
    facts: [],
    ...quoted(result),
  });
}

/** The quoted reply is the one that decided: it can be the one to the made-up name. */
function isAboutMadeUp({ details }: Result): boolean {
  return details.smtp_valid && (details.smtp_code === 0 || details.smtp_code >= 400);
}

function quoted({ details }: Result): Pick<Stage, "quote"> {
  const { smtp_code, smtp_enhanced_code, smtp_message, mx_host } = details;
  if (smtp_code === 0) return {};
  const line = [smtp_code, smtp_enhanced_code, smtp_message].filter(Boolean).join(" ");
  return { quote: { who: mx_host || "The mail server", line } };
}

export function madeUpStage(result: Result): Stage {
  const { catchall, metadata, details } = result;
  const told = stage("made-up", "A made-up mailbox");
  if (!metadata.features_used.catchall_detection)
    return told(
      skipped("The server is asked for a name that nobody has, but only where it accepted the real one."),
    );
  const facts: Fact[] =
    catchall.confidence === null ? [] : [["How sure we are of it", formatPercent(catchall.confidence)]];
  if (catchall.is_catchall)
    return told({
      outcome: "warn",
      word: "accepted as well",
      meaning:
        "The domain is a catch-all: it takes mail for any name, so that it took this one proves nothing. " +
        "Somebody may read it, or nobody.",
      facts,
    });
  if (isAboutMadeUp(result))
    return told({
      outcome: "open",
      word: "not settled",
      meaning:
        "Whether it takes any name could not be found out, so its yes to this mailbox proves nothing yet.",
      facts,
      ...quoted(result),
    });
  if (!details.smtp_valid)
    return told({
      outcome: "open",
      word: "does not matter",
      meaning: "The mailbox itself was not accepted, so this decides nothing.",
      facts,
    });
  return told({
    outcome: "good",
    word: "refused",
    meaning: "The server refuses names that nobody has. So its yes to this mailbox means that it exists.",
    facts,
  });
}

export function aiStage({ ai_enhancement: ai, sub_status }: Result): Stage {
  const isRandom = sub_status === "low_quality";
  const because = ai.reasons.length === 0 ? "" : ` What it saw: ${ai.reasons.join("; ")}.`;
  return stage(
    "ai",
    "AI enhancement",
  )({
    outcome: isRandom ? "warn" : "open",
    word: isRandom ? "looks random" : leaning(ai.score),
    meaning: isRandom
      ? `A model read the mailbox name, and takes it for one that nobody would choose.${because}`
      : "Mail servers leave it open whether anybody has this mailbox, so a model read its name. That moves the score, " +
        `and makes no address invalid.${because}`,
    facts: [
      ["Method", ai.method ?? "–"],
      ...(ai.score === null
        ? []
        : [["Plausible by its name (50% is neutral)", formatPercent(ai.score)] as const]),
    ],
  });
}

function leaning(score: number | null): string {
  if (score === null || (score > 0.4 && score < 0.6)) return "undecided";
  return score > 0.5 ? "speaks for the mailbox" : "speaks against the mailbox";
}
