/**
 * Decides when the replies of a session are believed: only while the server is seen to tell mailboxes apart. Some servers
 * answer every recipient alike after a few unknown users, by accepting or by refusing.
 *
 * Replies about mailboxes are held in a log of the session, and so are the replies to controls: known mailboxes that are
 * asked again, and made-up names. A control that fails retracts everything that is held.
 *
 * | held                         | stands when                                                       | otherwise             |
 * |------------------------------|-------------------------------------------------------------------|-----------------------|
 * | acceptance                   | a made-up name is refused after it, and one at its own domain     | asked again           |
 * | refusal, of the first four   | no control contradicts it                                         | asked again           |
 * | refusal, of an hour's others | a mailbox is accepted after it, and then a made-up name refused   | asked again, or waits |
 *
 * State only: session-runner.ts sends what `due` names. What is remembered of the host is in throttle/host-memory.ts.
 */
import type { MailboxFinding } from "../../evidence.ts";
import { untrusted } from "../mailbox-finding.ts";
import type { ProbeRequest } from "../probe-request.ts";
import {
  type DomainAnswers,
  type HostMemory,
  isExemptFromFilters,
  type KnownMailbox,
  TOLERATED_REFUSALS,
} from "../throttle/host-memory.ts";
import type { OpenTransaction } from "./transaction-plan.ts";

/** Where a recipient was named: as the first of its transaction, no recipient before it can be the reason of its reply. */
export type Place = { transaction: OpenTransaction; isFirst: boolean };

/** A recipient that is asked for the sake of others. `isAlone`: in a transaction of its own. */
export type Control = { mailbox: KnownMailbox; isAlone: boolean } & {
  role: "known" | "postmaster" | "beside" | "made_up";
};

/** Deferred: a temporary refusal of the recipient. */
export type ControlReply = "accepted" | "refused" | "deferred" | "undecided";

export type SessionControlsDeps = {
  memory: HostMemory;
  domainAnswers(domain: string): DomainAnswers;
  /** Sessions too short for controls: those at large providers, and at hosts that take one recipient. */
  isExempt(): boolean;
  /** A mailbox that was accepted at this domain before. */
  acceptedAt(domain: string): KnownMailbox | undefined;
  /** The reply to a held request stands. */
  confirm(request: ProbeRequest): void;
  requeue(request: ProbeRequest): void;
  /** Keeps the request until the host accepts a mailbox, or has been asked for all others. */
  park(request: ProbeRequest): void;
};

/** A reply, in the order of the session. */
type Entry = Place & {
  kind: "accepted" | "refused" | "made_up_refused";
  domain: string;
  /** None for a control. */
  request?: ProbeRequest;
  /** Among the first refusals of the hour: it stands without a control, unless one contradicts it. */
  isFirstOfHour: boolean;
};

export class SessionControls {
  /** The server does not tell mailboxes apart: further replies in this session prove nothing. */
  isUntrusted = false;
  readonly #deps: SessionControlsDeps;
  readonly #memory: HostMemory;
  /** Replies that are held, and the controls since. */
  #log: Entry[] = [];
  /** Refusals without a reason that stand: they need an acceptance at their own domain, and prove nothing else. */
  #unexplained: Entry[] = [];
  #lastAccepted: KnownMailbox | undefined;
  /** Known mailboxes that were refused beside other recipients, or gave no answer. */
  readonly #askedInVain = new Set<string>();
  #isToBeAlone = false;

  constructor(deps: SessionControlsDeps) {
    this.#deps = deps;
    this.#memory = deps.memory;
  }

  /** A mailbox of this host is known, or has just been accepted. */
  get hasAcceptance(): boolean {
    return (this.#memory.known ?? this.#lastAccepted) !== undefined;
  }

  /** Something can show that the host does not refuse every recipient. */
  get hasControl(): boolean {
    return this.hasAcceptance || this.#memory.isPostmasterAccepted === true;
  }

  get hasHeld(): boolean {
    return this.#log.length > 0 || this.#unexplained.length > 0;
  }

  accepted(request: ProbeRequest, finding: MailboxFinding, place: Place): void {
    request.hold(finding);
    const { domain } = request;
    const entry: Entry = { ...place, kind: "accepted", domain, request, isFirstOfHour: false };
    this.#markSelective(request, place);
    const { madeUp } = this.#deps.domainAnswers(domain);
    if (isEvidence(entry) && (madeUp !== "accepted" || !this.#lastAccepted)) this.#lastAccepted = request;
    if (this.#deps.isExempt()) {
      this.#settle([entry]);
      return;
    }
    this.#log.push(entry);
    if (madeUp === "accepted") this.#settleWhere((one) => one.domain === domain);
    else if (madeUp === "refused" && isEvidence(entry) && this.#memory.takeSteadyAccept())
      this.#settleWhere((one) => one === entry || isRefusal(one)); // refusals come before it
    else this.#settleProven();
  }

  refused(request: ProbeRequest, finding: MailboxFinding, place: Place): void {
    request.hold(finding);
    const isFirstOfHour = this.#isFirstOfHour(request, finding);
    const { domain } = request;
    const entry: Entry = { ...place, kind: "refused", domain, request, isFirstOfHour };
    if (this.#deps.isExempt()) this.#settle([entry]);
    else this.#log.push(entry);
  }

  #isFirstOfHour({ recipient }: ProbeRequest, { answer, reply }: MailboxFinding): boolean {
    if ((reply?.code ?? 0) < 500) return !this.#lastAccepted;
    if (answer === "domain_not_accepted") return this.#memory.isTolerant; // no unknown user
    const wasKnown = this.#memory.known?.recipient === recipient;
    // A known mailbox that is refused may have been deleted; another known one will tell.
    const isOtherKnown = this.#memory.forget(recipient);
    return this.#memory.recordRefusal() && !(wasKnown && isOtherKnown);
  }

  /** A made-up name of the planner whose refusal names no reason: it is compared with others once one is accepted beside it. */
  holdDecoy(request: ProbeRequest, finding: MailboxFinding, place: Place): void {
    request.hold(finding);
    const { domain } = request;
    this.#unexplained.push({ ...place, kind: "refused", domain, request, isFirstOfHour: true });
  }

  /** `isOwn`: the first made-up name of the domain, for which the planner waits. */
  madeUp(
    { recipient, smtpUtf8, domain }: KnownMailbox,
    reply: ControlReply,
    { isOwn, ...place }: Place & { isOwn: boolean },
  ): void {
    const answers = this.#deps.domainAnswers(domain);
    if (reply !== "undecided") answers.madeUpNames++;
    if (reply === "accepted") {
      if (answers.madeUp === "refused" && !this.#deps.isExempt()) {
        this.#fail({ isMadeUp: true, mailbox: { recipient, smtpUtf8, domain, isRole: false } });
        return;
      }
      answers.madeUp = "accepted";
      const other = this.#log.findLast((one) => isEvidence(one) && one.domain !== domain)?.request;
      if (this.#lastAccepted?.domain === domain && other) this.#lastAccepted = other;
    } else if (reply !== "undecided") {
      if (reply === "refused" && answers.madeUp === "unasked") answers.madeUp = "refused";
      // Deferred: whatever the reason, the server does not accept every recipient.
      const isFirstOfHour = reply === "deferred" || this.#memory.recordRefusal();
      if (!this.#isOpenEnd) {
        this.#memory.recordControl();
        if (this.#log.length > 0)
          this.#log.push({ ...place, kind: "made_up_refused", domain, isFirstOfHour });
      }
      this.#settleProven();
    }
    // Catch-all, or left to the planner: an acceptance at this domain proves nothing, and needs no control.
    if (reply === "accepted" || (isOwn && reply !== "refused"))
      this.#settleWhere((one) => isAcceptance(one) && one.domain === domain);
  }

  known({ mailbox, role, isAlone }: Control, reply: ControlReply, place: Place): void {
    const { recipient, domain } = mailbox;
    if (role === "postmaster" && this.#memory.isPostmasterAccepted === undefined) {
      if (reply === "accepted" || reply === "refused") this.#memory.recordPostmaster(reply === "accepted");
      if (reply === "refused") this.#memory.recordRefusal();
      return;
    }
    // Told to come back, where others are refused for good: the server does not answer every recipient alike.
    const isToldApart = reply === "deferred" && this.#log.every((one) => !isRefusal(one) || isPermanent(one));
    if (reply === "accepted" || (isToldApart && role !== "beside")) {
      this.#markSelective(mailbox, place);
      if (this.#memory.doubt?.isMadeUp === false) this.#memory.doubt = undefined;
      if (this.#deps.domainAnswers(domain).madeUp === "accepted") {
        this.#settleWhere((one) => one.domain === domain);
        return;
      }
      if (this.#log.length > 0) this.#log.push({ ...place, kind: "accepted", domain, isFirstOfHour: false });
      if (this.#memory.isSteady) this.#settleWhere(isRefusal);
      this.#settleProven();
    } else if (role === "beside" || reply !== "refused") this.#askedInVain.add(recipient);
    // In the open transaction it may have been refused for the recipients before it, as by Exim.
    else if (!isAlone) this.#isToBeAlone = true;
    else {
      this.#memory.forget(recipient);
      this.#fail({ isMadeUp: false, mailbox });
    }
  }

  /** What the session begins with: the control that failed last. */
  opening(madeUpAt: (domain: string) => KnownMailbox): Control | undefined {
    const { mailbox, isMadeUp } = this.#memory.doubt ?? {};
    if (!mailbox) return undefined;
    if (isMadeUp) return { role: "made_up", mailbox: madeUpAt(mailbox.domain), isAlone: true };
    return { role: "known", mailbox, isAlone: true };
  }

  /** The reply to the known mailbox that was doubted: it may also have been deleted, so others are asked once more. */
  opened(mailbox: KnownMailbox, reply: ControlReply): void {
    if (reply === "accepted") this.#memory.recordAccepted(mailbox);
    if (reply === "refused") this.#memory.doubt = { isMadeUp: false };
  }

  /** What must be asked before the session ends, so that what is held stands. */
  due(madeUpAt: (domain: string) => KnownMailbox): Control[] {
    if (this.#deps.isExempt() || this.isUntrusted || !this.hasHeld) return [];
    const controls: Control[] = [];
    const known = this.#knownMailbox();
    const isOpenEnd = this.#isOpenEnd;
    const isAlone = this.#isToBeAlone;
    const askMadeUp = (domain: string) =>
      controls.push({ role: "made_up", mailbox: madeUpAt(domain), isAlone: false });
    if (isOpenEnd && known) controls.push({ ...known, isAlone });
    for (const domain of this.#domainsWithoutAcceptance()) {
      const mailbox = this.#deps.acceptedAt(domain);
      if (mailbox && !this.#askedInVain.has(mailbox.recipient) && mailbox !== known?.mailbox)
        controls.push({ role: "beside", mailbox, isAlone: false });
    }
    if (isOpenEnd && !known) return controls;
    const { unaskedDomains } = this;
    for (const domain of unaskedDomains) askMadeUp(domain);
    const last = this.#log.findLast(isAcceptance)?.domain ?? (isOpenEnd ? known?.mailbox.domain : undefined);
    if (last === undefined || (this.#memory.isSteady && !this.#hasAcceptances)) return controls;
    if ((isOpenEnd || this.#needsMadeUp) && !unaskedDomains.includes(last)) askMadeUp(last);
    // The host may have begun to refuse every recipient with that very name.
    if (known && this.#hasAcceptances && this.#memory.refusals >= TOLERATED_REFUSALS)
      controls.push({ ...known, isAlone });
    return controls;
  }

  /** Domains with an acceptance that have not refused a made-up name, which the host will probably do. */
  get unaskedDomains(): string[] {
    const isUnasked = ({ domain }: Entry) => this.#deps.domainAnswers(domain).madeUp === "unasked";
    return [
      ...new Set(
        this.#log
          .filter(isAcceptance)
          .filter(isUnasked)
          .map(({ domain }) => domain),
      ),
    ];
  }

  /** Lets what is held stand or fall; true if a part falls. `isCutOff`: what was due could not be asked, or had no answer. */
  end(isCutOff: boolean): boolean {
    const held = this.#log.filter(({ request }) => request);
    const trailing = this.#trailing;
    this.#log = [];
    // It may have begun to refuse every recipient just before it hung up. A single refusal may be why it did.
    const isDoubtful = this.isUntrusted || (isCutOff && trailing.length > 1 && this.hasAcceptance);
    const { hasControl } = this;
    let isRetracted = false;
    for (const one of held) {
      if (isRefusal(one) && one.isFirstOfHour && !isDoubtful) {
        this.#memory.recordFirstRefusal();
        this.#settle([one]);
      } else if (isAcceptance(one) || isDoubtful || hasControl || isCutOff) {
        isRetracted = true;
        this.#retract(one, isCutOff && !this.isUntrusted);
      } else this.#leaveWithoutControl(one);
    }
    for (const { request } of this.#unexplained) this.#deps.confirm(request!);
    this.#unexplained = [];
    return isRetracted;
  }

  /** Refusals that an acceptance has not followed. */
  get #trailing(): Entry[] {
    return this.#log.slice(this.#log.findLastIndex(isEvidence) + 1).filter(isRefusal);
  }

  /** The host may refuse every recipient by now: more than a single one of the first refusals was not followed by an acceptance. */
  get #isOpenEnd(): boolean {
    const trailing = this.#trailing;
    const isCredible =
      trailing.length === 1 && this.#lastAccepted !== undefined && !this.#memory.doubt && !this.#isToBeAlone;
    return trailing.some(({ isFirstOfHour }) => !isFirstOfHour) || trailing.length > (isCredible ? 1 : 0);
  }

  get #hasAcceptances(): boolean {
    return this.#log.some((one) => isAcceptance(one) && one.request !== undefined);
  }

  get #needsMadeUp(): boolean {
    return this.#log.findLastIndex(isAcceptance) > this.#log.findLastIndex(isMadeUp);
  }

  #knownMailbox(): Omit<Control, "isAlone"> | undefined {
    const mailbox = this.#memory.known ?? this.#lastAccepted;
    if (mailbox) return this.#askedInVain.has(mailbox.recipient) ? undefined : { role: "known", mailbox };
    const last = this.#log.at(-1);
    return this.hasControl && last ? postmasterAt(last.domain) : undefined;
  }

  #domainsWithoutAcceptance(): Set<string> {
    return new Set([...this.#log, ...this.#unexplained].filter(needsAcceptance).map(({ domain }) => domain));
  }

  /**
   * A refusal stands when a mailbox is accepted after it, and then a made-up name refused. An acceptance stands when a made-up name is
   * refused after it: one of the first of the hour, or one after which a mailbox is accepted again.
   */
  #settleProven(): void {
    const lastMadeUp = this.#log.findLastIndex(isMadeUp);
    if (lastMadeUp < 0) return;
    const lastEvidence = this.#log.findLastIndex(isEvidence);
    const proven = this.#log.findLastIndex(
      (one, index) => isMadeUp(one) && (one.isFirstOfHour || index < lastEvidence),
    );
    const confirmed = this.#log.findLastIndex((one, index) => isEvidence(one) && index < lastMadeUp);
    this.#settleWhere((one, index) =>
      isRefusal(one)
        ? index < confirmed
        : index < proven && this.#deps.domainAnswers(one.domain).madeUp === "refused",
    );
  }

  #settleWhere(test: (entry: Entry, index: number) => boolean): void {
    const settled = new Set(this.#log.filter((one, index) => one.request && test(one, index)));
    if (settled.size === 0) return;
    const left = this.#log.filter((one) => !settled.has(one));
    const first = left.findIndex(({ request }) => request);
    this.#log = first < 0 ? [] : left.slice(first); // controls before it are of no use
    this.#settle([...settled]);
  }

  #settle(settled: readonly Entry[]): void {
    for (const one of settled) {
      if (isEvidence(one) && this.#deps.domainAnswers(one.domain).madeUp !== "accepted")
        this.#memory.recordAccepted(one.request!);
      if (needsAcceptance(one)) this.#unexplained.push(one);
      else this.#deps.confirm(one.request!);
    }
  }

  /** Role mailboxes bypass filters, so their acceptance says nothing about others. */
  #markSelective({ domain, isRole }: KnownMailbox, { transaction }: Place): void {
    if (isRole) return;
    for (const one of [...this.#log, ...this.#unexplained]) {
      const isSameCase = one.isFirst || one.transaction === transaction;
      if (isSameCase && one.domain === domain && needsAcceptance(one)) one.request!.markSelective();
    }
  }

  #fail(doubt: NonNullable<HostMemory["doubt"]>): void {
    this.isUntrusted = true;
    this.#memory.recordFailure(doubt);
  }

  /** Its reply proves nothing. It is asked again in another session, up to three times. */
  #retract({ request }: Entry, isCutOff: boolean): void {
    const finding = request!.heldFinding!;
    const isTemporary = finding.answer !== "accepted" && (finding.reply?.code ?? 0) < 500;
    if (request!.canRetryAfterRetraction(isCutOff)) this.#deps.requeue(request!);
    else request!.settle(isTemporary ? finding : untrusted(finding));
  }

  /** No mailbox was ever accepted at this host, so nothing can show whether it refuses every recipient: the rest waits for another hour. */
  #leaveWithoutControl({ request }: Entry): void {
    const finding = request!.heldFinding!;
    if (finding.isUnexplained) this.#deps.confirm(request!);
    else if (this.#memory.isProbablyEmpty) request!.settle({ ...finding, hasNoControl: true });
    else this.#deps.park(request!);
  }
}

export function postmasterAt(domain: string): Omit<Control, "isAlone"> {
  const mailbox = { recipient: `postmaster@${domain}`, smtpUtf8: false, domain, isRole: true };
  return { role: "postmaster", mailbox };
}

const isPermanent = ({ request }: Entry) => (request?.heldFinding?.reply?.code ?? 0) >= 500;
const isRefusal = ({ kind }: Entry) => kind === "refused";
const isAcceptance = ({ kind }: Entry) => kind === "accepted";
const isMadeUp = ({ kind }: Entry) => kind === "made_up_refused";

/** An acceptance that shows that the host does not refuse every recipient. */
function isEvidence({ kind, request }: Entry): boolean {
  return kind === "accepted" && !(request && isExemptFromFilters(request));
}

function needsAcceptance({ request }: Entry): boolean {
  return request?.heldFinding?.isUnexplained === true && !request.heldFinding.isSelective;
}
