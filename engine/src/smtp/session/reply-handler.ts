/**
 * Moves each probe request on according to its reply: settled, held as a refusal, or queued again where another host,
 * identity or transaction may answer.
 */
import type { SmtpSessionEvent } from "../../egress/network-event.ts";
import type { MailboxFinding } from "../../evidence.ts";
import type { RcptResult } from "../client/client.ts";
import { asRefusalByBackup, findingWithoutReply, interpretReply } from "../mailbox-finding.ts";
import type { HostDenial, ProbeRequest } from "../probe-request.ts";
import {
  isBeyondReliable,
  isExemptFromFilters,
  recordAccepted,
  recordRefused,
  recordReliable,
} from "../throttle/learned-limits.ts";
import { RefusalStreak } from "./refusal-streak.ts";
import type { BatchTally, SessionContext } from "./session-context.ts";
import { ANSWER_OF_ENDING, isAboutErrors } from "./session-ending.ts";
import { type OpenTransaction, type TransactionPlan, UNWATCHED_RECIPIENTS } from "./transaction-plan.ts";

export class ReplyHandler {
  readonly #session: SessionContext;
  /** Refusals since the last acceptance, held until they are credible. */
  readonly streak = new RefusalStreak((request) => this.#confirm(request));
  /** By category, for the event at the end of the session. */
  readonly replies: SmtpSessionEvent["replies"] = {};

  constructor(session: SessionContext) {
    this.#session = session;
  }

  /** A server without SMTPUTF8 cannot answer for a mailbox name that needs it. */
  sendable(groups: ProbeRequest[][]): ProbeRequest[][] {
    const { client, host } = this.#session.target;
    return groups.filter((group) => {
      if (!group[0]!.smtpUtf8 || client.extensions?.has("SMTPUTF8")) return true;
      const finding: MailboxFinding = { answer: "smtputf8_unsupported", mxHost: host };
      for (const request of group) this.#deny(request, "smtputf8_unsupported", finding);
      return false;
    });
  }

  /** Settles or holds a request by its reply, or requeues it where another host or transaction may answer. */
  handle(
    request: ProbeRequest,
    { stage, reply }: RcptResult,
    { transaction, isNew, requests }: TransactionPlan,
    tally: BatchTally,
  ): "accepted" | "refused" | "unanswered" {
    const { deps, counts } = this.#session;
    const { client, host, identity, limits } = this.#session.target;
    const { ourNames } = identity;
    const { recipient, isDecoy } = request;
    const context = { stage, reply, mx: host, greetedAs: client.bannerName, recipient, ourNames, isDecoy };
    const { finding, meaning } = interpretReply(context, deps.profile);
    this.replies[meaning.category] = (this.replies[meaning.category] ?? 0) + 1;
    const { answer } = finding;
    if (this.#session.isIntercepted) {
      const blocked = findingWithoutReply("egress_blocked", host);
      if (!this.#isLeftToAnotherIdentity(request, blocked)) request.settle(blocked);
      return "refused";
    }
    if (answer === "accepted") {
      tally.isJudged = true;
      delete tally.block;
      if (!isExemptFromFilters(request)) this.#recordAccepted(request, transaction, tally);
      request.settle(finding);
      return "accepted";
    }
    // A server that cannot handle pipelining reports bad syntax and closes; that is not about the mailbox.
    if (answer === "protocol_error" && client.usesPipelining && tally.ending) return "unanswered";
    if (stage === "mail") transaction.isExhausted = true;
    if (stage === "rcpt" && this.#needsNewTransaction(finding, transaction, request)) {
      deps.queue.add(request);
      return "refused";
    }
    if (answer === "rate_limited" || finding.isAboutUs || stage === "mail") tally.aboutUs++;
    if (answer === "rate_limited") tally.isRateLimited = true;
    if (finding.isAboutUs) {
      tally.block = reply;
      if (this.#isLeftToAnotherIdentity(request, finding)) return "refused";
    } else if (stage === "rcpt" && reply.code >= 500) {
      tally.isJudged = true;
      delete tally.block;
    }
    if (answer === "greylisted") identity.hostLimits.markGreylisting(host);
    if (stage === "rcpt" && this.#mayTryNextHost(request, finding)) {
      request.defer(host, finding);
      deps.queue.add(request);
      return "refused";
    }
    const recipients = counts.recipients + tally.answered;
    const isLate = isBeyondReliable(limits, recipients, counts.refused + tally.refused);
    if (stage === "rcpt" && reply.code >= 500) {
      recordRefused(limits, recipient);
      deps.acceptedMailboxes.forget(request);
    }
    if (finding.isUnexplained) limits.refusesWithoutReason = true;
    const isFirst = isNew && request === requests[0];
    if (stage !== "rcpt") request.settle(finding);
    else {
      const isBelieved = answer === "domain_not_accepted" || request.isDecidedBy(host);
      const believed = isBelieved ? finding : asRefusalByBackup(finding);
      this.streak.hold({ request, isLate, transaction, isFirst }, believed);
    }
    return "refused";
  }

  /** Of a refused domain, the other hosts are asked as well. */
  #confirm(request: ProbeRequest): void {
    const { heldRefusal } = request;
    if (heldRefusal?.answer === "domain_not_accepted") this.#deny(request, heldRefusal.answer, heldRefusal);
    else request.confirm();
  }

  /** The server still distinguishes mailboxes. */
  #recordAccepted(request: ProbeRequest, transaction: OpenTransaction, tally: BatchTally): void {
    const { deps, counts, target } = this.#session;
    if (!request.isDecoy) this.streak.recordAcceptance(request, transaction);
    this.streak.confirm(this.streak.take());
    recordReliable(target.limits, counts.recipients + tally.answered, counts.refused + tally.refused);
    counts.accepted++;
    if (request.isDecoy) return;
    recordAccepted(target.limits, request);
    deps.acceptedMailboxes.record(request);
  }

  /** The first unanswered request may be what ended the session; the others were only behind it. */
  requeueUnanswered(unanswered: ProbeRequest[], tally: BatchTally): void {
    const { answered, isBeyondCap, isErrorLimit, ending = "closed" } = tally;
    for (const [i, request] of unanswered.entries()) {
      const isCause = !isBeyondCap && !isErrorLimit && (i === 0 || answered === 0);
      if (request.canRetryAfterSessionEnd(isCause)) this.#session.deps.queue.add(request);
      else request.settle(findingWithoutReply(ANSWER_OF_ENDING[ending], this.#session.target.host));
    }
  }

  /** The finding is about our identity. Queued again if there is another that has not been refused. */
  #isLeftToAnotherIdentity(request: ProbeRequest, finding: MailboxFinding): boolean {
    const { deps, target } = this.#session;
    request.refuseFrom(target.identity.index, finding);
    const hasOther = deps.hasIdentityFor(request);
    if (hasOther) deps.queue.add(request);
    return hasOther;
  }

  /** This host cannot answer. Another may; the finding is certain only when all of them agree. */
  #deny(request: ProbeRequest, denial: HostDenial, finding: MailboxFinding): void {
    const { deps, target } = this.#session;
    const { extensions, isTlsMissing } = target.client;
    const isUnsure = denial === "smtputf8_unsupported" && (extensions === undefined || isTlsMissing);
    request.deny(target.host, isUnsure ? "deferred" : denial);
    if (deps.hosts.some(({ name }) => request.isOpenTo(name))) {
      deps.queue.add(request);
      return;
    }
    const isCertain = request.isDeniedOnlyAs(denial) && !deps.hasUnknownHosts;
    request.settle(isCertain ? finding : { ...finding, answer: "temporary_error" });
  }

  /**
   * After a temporary reply the next host is tried once, as any mail server does. Not at a large provider, whose hosts
   * share their state, and not after a reply about us or our rate.
   */
  #mayTryNextHost(request: ProbeRequest, { answer, reply }: MailboxFinding): boolean {
    const { deps, target } = this.#session;
    if (request.deferral !== undefined || deps.profile.isShared || (reply?.code ?? 0) >= 500) return false;
    if (answer !== "greylisted" && answer !== "temporary_error") return false;
    return deps.hosts.some(({ name }) => name !== target.host && request.isOpenTo(name));
  }

  /**
   * Whether the refusal is about the transaction so far: too many recipients, too many bad ones, or ones of another
   * domain. Then the limit is learned, and the request is sent again in a new transaction.
   */
  #needsNewTransaction(
    { answer, reply }: MailboxFinding,
    transaction: OpenTransaction,
    request: ProbeRequest,
  ): boolean {
    if (transaction.recipients < 2) return false;
    const isOtherDomain =
      answer === "temporary_error" &&
      transaction.domain !== request.domain &&
      /\bdomains?\b/i.test(reply?.text ?? "");
    if (answer !== "rate_limited" && !isOtherDomain) return false;
    if (!request.canRetryInNewTransaction()) return false;
    transaction.isExhausted = true;
    const { limits } = this.#session.target;
    if (isOtherDomain) limits.oneDomainPerTransaction = true;
    else if (reply && isAboutErrors(reply.text))
      // The share of refusals counts, so the same number of recipients may be too many the next time.
      limits.recipientsPerTransaction = Math.min(
        limits.recipientsPerTransaction,
        UNWATCHED_RECIPIENTS,
        Math.max(1, transaction.answered),
      );
    else if (transaction.accepted > 0) limits.recipientsPerTransaction = transaction.accepted;
    return true;
  }
}
