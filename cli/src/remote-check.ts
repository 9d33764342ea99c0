/**
 * Checks addresses at a service: one address in full, a list in bulk requests. When the service fails on the way,
 * the list is read on for a moment, to say how much of it has no result.
 */
import type { CheckOptions } from "@mailvet/sdk";
import type { CheckEmails } from "./local-check.ts";
import { type Service, ServiceFailure } from "./service.ts";

/** A list that is still being written may never end. */
const COUNTING_MS = 2_000;

export const checkOneAt = ({ client, explain }: Service, wishes: CheckOptions = {}): CheckEmails =>
  async function* (emails) {
    try {
      for await (const email of emails) yield await client.validate(email, wishes);
    } catch (error) {
      throw explain(error);
    }
  };

export const checkListAt = ({ client, explain }: Service, wishes: CheckOptions = {}): CheckEmails =>
  async function* (emails) {
    const source = emails[Symbol.asyncIterator]();
    let read = 0;
    let told = 0;
    const next = async () => {
      const step = await source.next();
      if (!step.done) read++;
      return step;
    };
    try {
      // Without a way to close the source, which is still needed for counting.
      for await (const item of client.validateMany({ [Symbol.asyncIterator]: () => ({ next }) }, wishes)) {
        told++;
        yield item;
      }
    } catch (error) {
      const failure = await Promise.resolve(error)
        .then(explain)
        .catch((explained: unknown) => explained);
      if (!(failure instanceof ServiceFailure)) throw failure;
      const isAll = await readOn(next);
      const left = `${isAll ? "" : "at least "}${(read - told).toLocaleString("en")}`;
      failure.message += `\n  ${told.toLocaleString("en")} addresses have their result, ${left} have none`;
      throw failure;
    }
  };

/** Whether the source came to its end in time. */
async function readOn(next: () => Promise<IteratorResult<string>>): Promise<boolean> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve(false);
    }, COUNTING_MS);
  });
  const toTheEnd = async () => {
    while (!isLate) if ((await next()).done) return true;
    return false;
  };
  const isAll = await Promise.race([toTheEnd().catch(() => false), late]);
  clearTimeout(timer);
  return isAll;
}
