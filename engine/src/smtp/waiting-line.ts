/**
 * The questions that wait at a mail exchange, by domain: a round takes several of one domain together, and the
 * domains take turns, so that a large one does not hold up the small ones.
 */
import type { MailboxFinding } from "../evidence.ts";

export type Denial = "domain_not_accepted" | "smtputf8_unsupported";

/** A recipient somebody wants to know about. */
export type Pending = {
  readonly recipient: string;
  readonly domain: string;
  readonly smtpUtf8: boolean;
  /** A made-up name; it waits until somebody wants to know, unless it can ride along for free. */
  readonly isDecoy: boolean;
  isWanted: boolean;
  isSettled: boolean;
  /** Hosts that cannot take this question, and why; another host of the domain may. */
  readonly deniedBy: Map<string, Denial>;
  /** Sessions that ended at this very question, and all that ended before its answer. */
  failures: number;
  returns: number;
  settle(finding: MailboxFinding): void;
  /** Nobody wants to know any more. */
  drop(): void;
  /** We have a bug; whoever asked hears of it, and nobody else. */
  fail(error: unknown): void;
};

type DomainLine = { targets: Pending[]; decoys: Pending[] };

export type RoundLimits = {
  host: string;
  /** Whether a round may hold so many targets and so many made-up names. */
  holds(targets: number, decoys: number): boolean;
  recipientsPerTransaction: number;
  /** Made-up names ride along with questions of their domain where there is room for both, wanted or not. */
  decoysRideAlong: boolean;
};

export class WaitingLine {
  readonly #domains = new Map<string, DomainLine>();

  add(pending: Pending): void {
    const line = this.#domains.get(pending.domain) ?? { targets: [], decoys: [] };
    this.#domains.set(pending.domain, line);
    (pending.isDecoy ? line.decoys : line.targets).push(pending);
  }

  /** Whether this host could be asked anything. */
  hasQuestionsFor(host: string): boolean {
    for (const { targets, decoys } of this.#domains.values()) {
      if (targets.some((one) => isOpenTo(one, host))) return true;
      if (decoys.some((one) => one.isWanted && isOpenTo(one, host))) return true;
    }
    return false;
  }

  /** How many questions wait, as far as anybody wants to know. Counting stops at `enough`. */
  count(enough: number): number {
    let count = 0;
    for (const { targets, decoys } of this.#domains.values()) {
      count += targets.length + decoys.filter((one) => one.isWanted).length;
      if (count >= enough) return enough;
    }
    return count;
  }

  /** The next round for a host: one group of recipients for each domain and kind. */
  take(limits: RoundLimits): Pending[][] {
    const groups: Pending[][] = [];
    const taken = { targets: 0, decoys: 0 };
    for (const [domain, line] of [...this.#domains]) {
      if (!limits.holds(taken.targets + 1, taken.decoys)) break;
      const group = this.#takeFrom(line, limits, taken);
      if (group.length > 0) groups.push(...bySmtpUtf8(group));
      this.#domains.delete(domain); // to the end of the line, if anything of it still waits
      if (line.targets.length > 0 || line.decoys.length > 0) this.#domains.set(domain, line);
    }
    return groups;
  }

  #takeFrom(line: DomainLine, limits: RoundLimits, taken: { targets: number; decoys: number }): Pending[] {
    const { host, recipientsPerTransaction: places, decoysRideAlong, holds } = limits;
    const mayRideAlong = decoysRideAlong && places > 1 && line.targets.length > 0;
    const decoys = line.decoys.filter((one) => {
      if (!isOpenTo(one, host)) return false;
      // One that is wanted is worth the last place; one that rides along must leave room for a target.
      return one.isWanted || (mayRideAlong && holds(taken.targets + 1, taken.decoys + 1));
    });
    taken.decoys += decoys.length;
    const targets: Pending[] = [];
    const rest: Pending[] = [];
    for (const one of line.targets) {
      if (one.isSettled) continue;
      const hasRoom =
        targets.length + decoys.length < Math.max(1, places) && holds(taken.targets + 1, taken.decoys);
      const fits = hasRoom && isOpenTo(one, host);
      if (fits) taken.targets++;
      (fits ? targets : rest).push(one);
    }
    line.targets = rest;
    line.decoys = line.decoys.filter((one) => !decoys.includes(one) && !one.isSettled);
    return [...targets, ...decoys];
  }

  /** Takes out every target of a domain, answered or not: they need not be asked any more. */
  takeTargets(domain: string): Pending[] {
    const line = this.#domains.get(domain);
    if (!line) return [];
    const { targets } = line;
    line.targets = [];
    return targets;
  }

  /** Empties the line. */
  takeAll(): Pending[] {
    const all = [...this.#domains.values()].flatMap(({ targets, decoys }) => [...targets, ...decoys]);
    this.#domains.clear();
    return all;
  }
}

function isOpenTo(pending: Pending, host: string): boolean {
  return !pending.isSettled && !pending.deniedBy.has(host);
}

/** SMTPUTF8 is declared with MAIL, so recipients that need it have a transaction of their own. */
function bySmtpUtf8(group: Pending[]): Pending[][] {
  const plain = group.filter((one) => !one.smtpUtf8);
  const utf8 = group.filter((one) => one.smtpUtf8);
  return [plain, utf8].filter((part) => part.length > 0);
}
