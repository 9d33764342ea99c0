/**
 * The questions that wait at a mail exchange, by domain: a round takes several of one domain together, and the
 * domains take turns, so that a large one does not hold up the small ones. Urgent questions of all domains come
 * first, as far as priority.ts allows.
 */
import type { MailboxFinding } from "../evidence.ts";
import { PriorityOrder } from "./host-limiter.ts";

export type Denial = "domain_not_accepted" | "smtputf8_unsupported" | "deferred";

/** A recipient somebody wants to know about. */
export type ProbeRequest = {
  readonly recipient: string;
  readonly domain: string;
  readonly smtpUtf8: boolean;
  /** A made-up name; it waits until somebody wants to know, unless it can ride along for free. */
  readonly isDecoy: boolean;
  isWanted: boolean;
  /** Somebody waits for the answer in person. A made-up name is as urgent as the questions of its domain. */
  isUrgent?: boolean;
  isSettled: boolean;
  /** Hosts that cannot take this question, and why; another host of the domain may. */
  readonly deniedBy: Map<string, Denial>;
  /** How often what was said of it was taken back, because the server had turned on us. */
  retractions?: number;
  /** What the first host said that put us off; it stands unless another host settles the question. */
  deferral?: MailboxFinding;
  /** Sessions that ended at this very question, and all that ended before its answer. */
  failures: number;
  returns: number;
  settle(finding: MailboxFinding): void;
  /** Nobody wants to know any more. */
  drop(): void;
  /** We have a bug; whoever asked hears of it, and nobody else. */
  fail(error: unknown): void;
};

type DomainLine = { urgent: ProbeRequest[]; others: ProbeRequest[]; decoys: ProbeRequest[] };

/** What has been taken into a round so far. */
type Taken = { groups: Map<string, ProbeRequest[]>; targets: number; decoys: number };

export type BatchLimits = {
  host: string;
  /** Whether a round may hold so many targets and so many made-up names. */
  holds(targets: number, decoys: number): boolean;
  recipientsPerTransaction: number;
  /** Made-up names ride along with questions of their domain where there is room for both, wanted or not. */
  decoysRideAlong: boolean;
};

export class ProbeQueue {
  readonly #domains = new Map<string, DomainLine>();
  /** Domains that may have something urgent. */
  readonly #hurried = new Set<string>();
  readonly #precedence = new PriorityOrder();

  add(pending: ProbeRequest): void {
    const { domain } = pending;
    const line = this.#domains.get(domain) ?? { urgent: [], others: [], decoys: [] };
    this.#domains.set(domain, line);
    (pending.isDecoy ? line.decoys : pending.isUrgent ? line.urgent : line.others).push(pending);
    if (pending.isUrgent) this.#putFirst(domain, line);
  }

  /** Somebody waits for it in person now. What is being asked this moment is urgent if it has to come back. */
  hurry(pending: ProbeRequest): void {
    if (pending.isUrgent || pending.isSettled) return;
    pending.isUrgent = true;
    const line = this.#domains.get(pending.domain);
    if (!line) return;
    const place = line.others.indexOf(pending);
    if (place >= 0) line.urgent.push(...line.others.splice(place, 1));
    this.#putFirst(pending.domain, line);
  }

  #putFirst(domain: string, line: DomainLine): void {
    this.#hurried.add(domain);
    for (const decoy of line.decoys) decoy.isUrgent = true;
  }

  /** Whether somebody waits in person for one of the answers. */
  get hasUrgent(): boolean {
    for (const domain of this.#hurried) {
      const line = this.#domains.get(domain);
      if (line && (line.urgent.length > 0 || line.decoys.some(isDueAtOnce))) return true;
    }
    return false;
  }

  /** Whether this host could be asked anything. */
  hasQuestionsFor(host: string): boolean {
    for (const { urgent, others, decoys } of this.#domains.values()) {
      if (urgent.some((one) => isOpenTo(one, host)) || others.some((one) => isOpenTo(one, host))) return true;
      if (decoys.some((one) => one.isWanted && isOpenTo(one, host))) return true;
    }
    return false;
  }

  /** How many questions wait, as far as anybody wants to know. Counting stops at `enough`. */
  count(enough: number): number {
    let count = 0;
    for (const { urgent, others, decoys } of this.#domains.values()) {
      count += urgent.length + others.length + decoys.filter((one) => one.isWanted).length;
      if (count >= enough) return enough;
    }
    return count;
  }

  /** The next round for a host: one group of recipients for each domain and kind. */
  take(limits: BatchLimits): ProbeRequest[][] {
    const taken: Taken = { groups: new Map(), targets: 0, decoys: 0 };
    const isOthersTurn = this.#precedence.isBatchNext;
    if (!isOthersTurn) this.#takeUrgent(limits, taken);
    const urgent = taken.targets + taken.decoys;
    this.#takeOthers(limits, taken);
    const isUrgentAlone = urgent > 0 && taken.targets + taken.decoys === urgent;
    this.#precedence.served(isUrgentAlone ? "interactive" : "batch");
    if (isOthersTurn) this.#takeUrgent(limits, taken);
    return [...taken.groups.values()].flatMap(bySmtpUtf8);
  }

  #takeUrgent(limits: BatchLimits, taken: Taken): void {
    for (const domain of [...this.#hurried]) {
      if (!limits.holds(taken.targets + 1, taken.decoys)) return;
      const line = this.#domains.get(domain);
      if (line) this.#takeFrom(domain, line, "urgent", limits, taken);
      this.#hurried.delete(domain); // behind the others in a hurry, if it still is
      if (line && (line.urgent.length > 0 || line.decoys.some((one) => one.isUrgent)))
        this.#hurried.add(domain);
    }
  }

  #takeOthers(limits: BatchLimits, taken: Taken): void {
    for (const [domain, line] of [...this.#domains]) {
      if (!limits.holds(taken.targets + 1, taken.decoys)) return;
      this.#takeFrom(domain, line, "others", limits, taken);
      this.#domains.delete(domain); // to the end of the line, if anything of it still waits
      if (line.urgent.length > 0 || line.others.length > 0 || line.decoys.length > 0)
        this.#domains.set(domain, line);
    }
  }

  #takeFrom(
    domain: string,
    line: DomainLine,
    lane: "urgent" | "others",
    limits: BatchLimits,
    taken: Taken,
  ): void {
    const { host, recipientsPerTransaction, decoysRideAlong, holds } = limits;
    const group = taken.groups.get(domain) ?? [];
    const places = Math.max(1, recipientsPerTransaction);
    const mayRideAlong = decoysRideAlong && places > 1 && line[lane].length > 0;
    const decoys = line.decoys.filter((one) => {
      if (!isOpenTo(one, host)) return false;
      // One that is wanted is worth the last place; one that rides along must leave room for a target.
      const isDue = lane === "urgent" ? isDueAtOnce(one) : one.isWanted;
      return isDue || (mayRideAlong && holds(taken.targets + 1, taken.decoys + 1));
    });
    taken.decoys += decoys.length;
    const targets: ProbeRequest[] = [];
    const rest: ProbeRequest[] = [];
    for (const one of line[lane]) {
      if (one.isSettled) continue;
      const isRoomy =
        group.length + targets.length + decoys.length < places && holds(taken.targets + 1, taken.decoys);
      const fits = isRoomy && isOpenTo(one, host);
      if (fits) taken.targets++;
      (fits ? targets : rest).push(one);
    }
    line[lane] = rest;
    line.decoys = line.decoys.filter((one) => !decoys.includes(one) && !one.isSettled);
    group.push(...targets, ...decoys);
    if (group.length > 0) taken.groups.set(domain, group);
  }

  /** Takes out every target of a domain, answered or not: they need not be asked any more. */
  takeTargets(domain: string): ProbeRequest[] {
    const line = this.#domains.get(domain);
    if (!line) return [];
    const targets = [...line.urgent, ...line.others];
    line.urgent = [];
    line.others = [];
    return targets;
  }

  /** Empties the line. */
  takeAll(): ProbeRequest[] {
    const all = [...this.#domains.values()].flatMap((line) => [
      ...line.urgent,
      ...line.others,
      ...line.decoys,
    ]);
    this.#domains.clear();
    this.#hurried.clear();
    return all;
  }
}

function isDueAtOnce(decoy: ProbeRequest): boolean {
  return decoy.isUrgent === true && decoy.isWanted;
}

function isOpenTo(pending: ProbeRequest, host: string): boolean {
  return !pending.isSettled && !pending.deniedBy.has(host);
}

/** SMTPUTF8 is declared with MAIL, so recipients that need it have a transaction of their own. */
function bySmtpUtf8(group: ProbeRequest[]): ProbeRequest[][] {
  const plain = group.filter((one) => !one.smtpUtf8);
  const utf8 = group.filter((one) => one.smtpUtf8);
  return [plain, utf8].filter((part) => part.length > 0);
}
