/**
 * What is left to a session: recipients, refusals and the room in its next batch, by provider profile, by what the host has shown, and
 * by the controls that are to follow. batch-table.ts has the sizes of batches.
 */
import type { BatchRoom } from "../probe-queue.ts";
import { type HostMemory, TOLERATED_REFUSALS } from "../throttle/host-memory.ts";
import { refusalBudget, refusalShare } from "../throttle/learned-limits.ts";
import { batchSize, roomForBatch } from "./batch-table.ts";
import type { SessionContext } from "./session-context.ts";
import type { TransactionLimits } from "./transaction-plan.ts";

/** Recipients per batch where each waits for the reply to the one before. */
const SEQUENTIAL_BATCH = 4;
/** With fewer refusals left, a long queue is done sooner in a new session than by ones and twos. */
const minRefusalsLeft = (budget: number) => Math.min(3, (budget - 1) / 2);
const LONG_QUEUE = 20;
/** A known mailbox and a made-up name, for which a session keeps room. Where it is long enough, the first is asked again. */
export const CONTROLS = 2;

export class SessionBudget {
  readonly #session: SessionContext;
  readonly #memory: HostMemory;

  constructor(session: SessionContext, memory: HostMemory) {
    this.#session = session;
    this.#memory = memory;
  }

  /** Too short for controls: at a large provider, and at a host that hangs up after one or two recipients. */
  get isExempt(): boolean {
    const { deps, target } = this.#session;
    return deps.profile.isShared || target.limits.recipientsPerSession <= CONTROLS;
  }

  /** While no mailbox is known, nothing would show that the server has begun to refuse every recipient. */
  get refusals(): number {
    const budget = refusalBudget(this.#session.target.limits, this.#session.deps.profile);
    return this.isExempt || this.#session.controls.hasControl ? budget : Math.min(budget, TOLERATED_REFUSALS);
  }

  /** What the next batch may contain, by the table and by what the host has shown. Undefined: time to quit. */
  roomForBatch(transactions: TransactionLimits): BatchRoom | undefined {
    const { deps, target, counts } = this.#session;
    const { profile } = deps;
    const { limits } = target;
    const controls = this.isExempt ? 0 : CONTROLS;
    const recipientsLeft =
      Math.min(profile.recipientsPerSession, limits.recipientsPerSession) - counts.recipients - controls;
    const left = (budget: number) => budget - counts.refused - this.#refusalsDue;
    const refusals = left(this.refusals);
    if (counts.recipients > 0 && (recipientsLeft <= 0 || refusals <= 0)) return undefined;
    const isShort = counts.recipients > 0 && refusals < minRefusalsLeft(this.refusals);
    if (isShort && deps.queue.count(LONG_QUEUE) >= LONG_QUEUE) return undefined;
    const { recipientsPerTransaction, oneDomainPerTransaction } = transactions;
    const { batchesAnswered, recipientsPerBatch, recent } = limits;
    const maxRecipients = Math.min(
      Math.max(1, recipientsLeft),
      target.client.usesPipelining ? batchSize(profile.batches, batchesAnswered) : SEQUENTIAL_BATCH,
      this.#firstRecipients,
      recipientsPerBatch,
      recipientsPerTransaction,
    );
    return roomForBatch({
      maxRecipients,
      refusals: left(refusalBudget(limits, profile)),
      share: refusalShare(limits),
      decoyShare: recent.madeUp.refused / recent.madeUp.asked,
      domainAnswers: (domain) => target.identity.hostLimits.domainAnswers(target.host, domain),
      oneDomainPerTransaction,
      leftAtCatchAll: deps.leftAtCatchAll,
    });
  }

  /** While no mailbox is known at the host: what is left of the refusals that need no control, before postmaster@ is asked. */
  get #firstRecipients(): number {
    const isAnyKnown =
      this.#session.controls.hasAcceptance || this.#memory.isPostmasterAccepted !== undefined;
    if (this.isExempt || isAnyKnown) return Number.POSITIVE_INFINITY;
    const left = TOLERATED_REFUSALS - this.#memory.refusals;
    return left > 0 ? left : Number.POSITIVE_INFINITY;
  }

  /** After the next refusal Postfix delays the reply to each command, so asking again is faster than another made-up name. */
  get isDelayed(): boolean {
    const { refusalsPerSession } = this.#session.deps.profile;
    const { counts, target } = this.#session;
    return counts.refused >= Math.max(refusalsPerSession, target.limits.refusalsPerSession ?? 0);
  }

  /** Refusals that the controls of this session will probably cost. */
  get #refusalsDue(): number {
    if (this.isExempt || !this.#session.controls.hasControl) return 0;
    const isFree = this.#memory.isSteady && this.#session.target.limits.isRefusalLimitKnown;
    return this.#session.controls.unaskedDomains.length + (isFree ? 0 : 1);
  }
}
