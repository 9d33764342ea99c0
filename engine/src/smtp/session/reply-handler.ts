/**
 * Moves each probe request on according to its reply: held until a control shows whether it stands, settled, or queued again
 * where another host, identity or transaction may answer.
 */
import type { SmtpSessionEvent } from "../../egress/network-event.ts";
import type { MailboxFinding } from "../../evidence.ts";
import { isRefusalOfDecoy } from "../catch-all.ts";
import type { RcptResult } from "../client/client.ts";
import { asRefusalByBackup, findingWithoutReply, interpretReply } from "../mailbox-finding.ts";
import type { HostDenial, ProbeRequest } from "../probe-request.ts";
import type { BatchTally, SessionContext } from "./session-context.ts";
import type { Control, ControlReply, Place } from "./session-controls.ts";
import { ANSWER_OF_ENDING, isAboutErrors } from "./session-ending.ts";
import { type OpenTransaction, type TransactionPlan, UNWATCHED_RECIPIENTS } from "./transaction-plan.ts";

export class ReplyHandler {
  readonly #session: SessionContext;
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
    const { deps, controls } = this.#session;
    const { client, host, identity } = this.#session.target;
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
    const place = { transaction, isFirst: isNew && request === requests[0] };
    if (answer === "accepted") {
      tally.isJudged = true;
      delete tally.block;
      if (!isDecoy) {
        controls.accepted(request, finding, place);
        return "accepted";
      }
      controls.madeUp(request, "accepted", { ...place, isOwn: true });
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
    if (stage === "rcpt" && reply.code >= 500) deps.acceptedMailboxes.forget(request);
    if (stage !== "rcpt") request.settle(finding);
    else if (isDecoy) {
      controls.madeUp(request, replyToMadeUp(finding), { ...place, isOwn: true });
      if (finding.isUnexplained) controls.holdDecoy(request, finding, place);
      else this.#settleDecoy(request, finding);
    } else {
      if (answer === "not_found" || answer === "disabled") deps.onRefused(request.domain);
      const isBelieved = answer === "domain_not_accepted" || request.isDecidedBy(host);
      controls.refused(request, isBelieved ? finding : asRefusalByBackup(finding), place);
    }
    return "refused";
  }

  /** The reply to a recipient that is asked for the sake of others. */
  handleControl(control: Control, answer: RcptResult, place: Place): void {
    const { deps, target, controls } = this.#session;
    const { mailbox, role } = control;
    const { ourNames } = target.identity;
    const context = { ...answer, mx: target.host, recipient: mailbox.recipient, ourNames };
    const isDecoy = role === "made_up";
    const { finding } = interpretReply(
      { ...context, greetedAs: target.client.bannerName, isDecoy },
      deps.profile,
    );
    if (finding.answer === "rate_limited" && place.transaction.recipients > 1) {
      place.transaction.isExhausted = true; // it is asked again in a new one
      return;
    }
    if (isDecoy) controls.madeUp(mailbox, replyToMadeUp(finding), { ...place, isOwn: false });
    else controls.known(control, replyOf(answer), place);
  }

  /** The answer to a held request stands. Of a refused domain, the other hosts are asked as well. */
  confirm(request: ProbeRequest): void {
    const finding = request.heldFinding!;
    if (finding.answer === "accepted") this.#session.deps.acceptedMailboxes.record(request);
    if (finding.answer === "domain_not_accepted") this.#deny(request, finding.answer, finding);
    else request.confirm();
  }

  #settleDecoy(request: ProbeRequest, finding: MailboxFinding): void {
    if (finding.answer === "domain_not_accepted") this.#deny(request, finding.answer, finding);
    else request.settle(finding);
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

/** Temporary refusals of the recipient. */
const DEFERRED: ReadonlySet<MailboxFinding["answer"]> = new Set(["greylisted", "temporary_error", "full"]);

function replyToMadeUp(finding: MailboxFinding): ControlReply {
  if (finding.answer === "accepted") return "accepted";
  if (isRefusalOfDecoy(finding)) return "refused";
  return DEFERRED.has(finding.answer) ? "deferred" : "undecided";
}

/** Undecided where it is not about the recipient. */
export function replyOf({ stage, reply: { code } }: RcptResult): ControlReply {
  if (stage !== "rcpt") return "undecided";
  return code < 300 ? "accepted" : code >= 500 ? "refused" : "deferred";
}
