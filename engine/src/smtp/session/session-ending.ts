/** How a session ended: what that says about the limits of the host, and about the requests it left without an answer. */
import type { BatchResult, SessionEnding } from "../client/client.ts";
import { interpretReply } from "../mailbox-finding.ts";
import { isConnectionCap } from "../throttle/connection-cap.ts";
import {
  type AddressFailure,
  isHangUpByRefusals,
  recordCutOff,
  recordRefusalLimit,
} from "../throttle/learned-limits.ts";
import type { BatchTally, SessionContext } from "./session-context.ts";

const MAX_SESSIONS_WITHOUT_ANSWER = 3;

export const ANSWER_OF_ENDING: Record<SessionEnding, AddressFailure> = {
  closed: "protocol_error",
  protocol_error: "protocol_error",
  timeout: "timeout",
  service_closing: "rate_limited",
};

/** How a session ending changes the limits of the host. `answered`: recipients of its last batch. */
export function learnFromEnding(
  { deps: { profile }, target, counts }: SessionContext,
  ending: SessionEnding,
  answered: number,
): void {
  const { client, address, identity, limiter, limits } = target;
  const { recipients, refused } = counts;
  if (ending === "service_closing") limiter.record({ kind: "rate_limited" });
  if (ending === "closed" && isHangUpByRefusals(limits, recipients, refused)) {
    recordRefusalLimit(limits, refused, profile);
    limits.recipientsPerSession = Number.POSITIVE_INFINITY;
    return;
  }
  if (ending === "timeout" && answered > 0) {
    limits.recipientsPerBatch = Math.max(1, Math.floor(answered / 2));
  } else if (recipients > 0) {
    recordCutOff(limits, recipients, ending === "timeout" || ending === "service_closing");
    limits.okSessionsAtLimit = 0;
  }
  if (recipients > 0) {
    limits.sessionsWithoutAnswer = 0;
    return;
  }
  if (client.usesPipelining && ending !== "service_closing") {
    limits.pipelining = false; // some servers lose pipelined commands: one more try without, before the address fails
    return;
  }
  // No usable reply at all: the address is skipped for a while, and the next host may be better.
  if (ending === "timeout" || ++limits.sessionsWithoutAnswer >= MAX_SESSIONS_WITHOUT_ANSWER) {
    limits.sessionsWithoutAnswer = 0;
    identity.hostLimits.markFailed(address, ANSWER_OF_ENDING[ending]);
  }
}

/** Whether the host ended the session because of its refusals, which says nothing about our rate. */
export function isErrorLimit(
  { deps: { profile }, target, counts }: SessionContext,
  { ending, closingReply }: BatchResult,
  { refused }: BatchTally,
): boolean {
  const refusals = counts.refused + refused;
  if (refusals === 0 || (ending !== "closed" && ending !== "service_closing")) return false;
  if (closingReply && isAboutErrors(closingReply.lines.join(" "))) return true;
  if (refusals <= profile.refusalsPerSession) return false;
  if (!closingReply) return true;
  const context = { stage: "rcpt", reply: closingReply, mx: target.host } as const;
  return interpretReply(context, profile).finding.answer !== "rate_limited";
}

/** Whether a reply is about errors or unknown recipients, not about our rate: "Error: …" begins many replies. */
export const isAboutErrors = (text: string) => ERROR_LIMIT.test(text);
const ERROR_LIMIT =
  /\btoo many (?:[\w-]+ ){0,4}errors?\b|\b(?:unknown|invalid|bad|rejected|non-?existent) (?:users?|recipients?|address\w*|rcpts?)\b/i;

/** Whether the host refuses this session at its first command, because we have other connections open. */
export function isBeyondCap(
  { deps: { profile }, target, counts }: SessionContext,
  { answers, closingReply }: BatchResult,
): boolean {
  if (counts.recipients > 0 || target.slots.sessions < 2) return false;
  const first = answers[0]?.[0];
  const reply = first?.stage === "mail" ? first.reply : closingReply;
  if (!reply || (first && first.stage !== "mail" && first.reply !== closingReply)) return false;
  const { finding } = interpretReply({ stage: "mail", reply, mx: target.host }, profile);
  return isConnectionCap(finding);
}
