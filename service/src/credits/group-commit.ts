/**
 * Gathers what arrives while a commit is under way, and commits it together as the next one.
 *
 * A commit that must reach the disk costs about the same for one change as for hundreds. So under load each one carries
 * many, and when it is quiet nobody waits for company.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

export type GroupCommit<Item, Outcome> = {
  /** Becomes part of the next commit with room for it. Settles when that commit is durable, or has failed. */
  submit(item: Item): Promise<Outcome>;
  /** Waits until nothing is left. */
  drain(): Promise<void>;
};

export type GroupCommitOptions<Item, Outcome> = {
  /** All or nothing: either what became of each item, in their order, or an error and nothing has happened. */
  commit(items: readonly Item[]): Promise<readonly Outcome[]>;
  maxItems: number;
  /** Items that share a name never go into one commit together; the later one waits for the next. */
  namesOf(item: Item): readonly string[];
  /** Whether an error may be about one item alone, so that the others deserve another try without it. */
  isFaultOfOne(error: unknown): boolean;
};

export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  type Waiting = { item: Item; resolve(outcome: Outcome): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  let working: Promise<void> | undefined;

  const submit = (item: Item) =>
    new Promise<Outcome>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      working ??= work();
    });

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      await nextTurn(); // whatever the network brought in this turn of the event loop comes along
      await commitAll(takeBatch());
    }
    working = undefined;
  }

  function takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const taken = new Set<string>();
    for (const one of waiting) {
      const names = options.namesOf(one.item);
      if (batch.length === options.maxItems || names.some((name) => taken.has(name))) {
        left.push(one);
        continue;
      }
      for (const name of names) taken.add(name);
      batch.push(one);
    }
    waiting = left;
    return batch;
  }

  async function commitAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await options.commit(batch.map((one) => one.item));
      for (const [place, one] of batch.entries()) one.resolve(outcomes[place]!);
    } catch (error) {
      if (batch.length > 1 && options.isFaultOfOne(error)) {
        const middle = Math.ceil(batch.length / 2);
        await commitAll(batch.slice(0, middle));
        await commitAll(batch.slice(middle));
        return;
      }
      for (const one of batch) one.reject(error);
    }
  }

  return {
    submit,
    async drain() {
      while (working) await working;
    },
  };
}
