/**
 * Words of mail services for outcomes of messages.
 *
 * A soft bounce is not an outcome: the server may accept the next message, or rejected the sender and not the mailbox. Other
 * events say nothing about the mailbox. "invalid" is not an outcome either, but the verdict of a checker.
 */
import type { DeliveryOutcome } from "@mailvet/contract";

export type WordMeaning = DeliveryOutcome | "soft_bounce" | "other_event";

const WORDS: Readonly<Record<WordMeaning, string>> = {
  delivered: `delivered delivery deliver sent send success successful ok
    open opened opens uniqueopened firstopening proxyopen click clicked clicks`,
  bounced: `bounce bounced bounces hardbounce hardbounced hardbounces bouncehard bouncedhard hard
    permanentbounce bouncepermanent permanent permanentfail permanentfailure dropped drop failed fail failure
    undelivered undeliverable invalidemail`,
  complained: `complaint complained complaints spam spamreport spamcomplaint spamcomplaints reportedspam markedasspam
    abuse abusereport junk fbl feedbackloop`,
  soft_bounce: `softbounce softbounced softbounces bouncesoft bouncedsoft soft transientbounce bouncetransient transient
    temporary temporaryfail temporaryfailure temporarybounce undetermined deferred deferral deferrals delay delayed
    deliverydelay deliverydelayed blocked block blocks rejected reject retry retrying`,
  other_event: `processed queued accepted request requests requested scheduled pending sending injection
    unsubscribe unsubscribed unsubscribes listunsubscribe linkunsubscribe groupunsubscribe groupresubscribe
    subscribed resubscribe subscription renderingfailure`,
};

const MEANINGS: ReadonlyMap<string, WordMeaning> = new Map(
  (Object.keys(WORDS) as WordMeaning[]).flatMap((meaning) =>
    WORDS[meaning].split(/\s+/).map((word) => [word, meaning] as const),
  ),
);

const MAX_WORD_CHARS = 40;
/** As in `email.delivered`. */
const TOPIC = /^(?:email|message|mail|event)[.:/]/;
const ENHANCED_CODE = /^([245])\.\d{1,3}\.\d{1,3}$/;
/** RFC 3463: mailbox full (temporary), and security or policy (about the sender). */
const NOT_ABOUT_THE_MAILBOX = /^5\.(?:2\.2|7\.\d+)$/;

export function readOutcomeWord(cell: string | undefined): WordMeaning | undefined {
  const text = cell?.trim().toLowerCase() ?? "";
  if (text === "" || text.length > MAX_WORD_CHARS) return undefined;
  const [, kind] = ENHANCED_CODE.exec(text) ?? [];
  if (kind === "2") return "delivered";
  if (kind !== undefined)
    return kind === "5" && !NOT_ABOUT_THE_MAILBOX.test(text) ? "bounced" : "soft_bounce";
  return MEANINGS.get(text.replace(TOPIC, "").replace(/[^a-z]/g, ""));
}
