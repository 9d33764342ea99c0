/**
 * Checks addresses at a service: a single address in full, a list in bulk requests. When the service fails midway,
 * the rest of the list is counted for a moment, to report how many addresses have no result.
 */
import type { ValidateOptions } from "@mailvet/sdk";
import type { CheckEmails } from "../check/local-check.ts";
import { type RemoteService, ServiceFailure } from "./service.ts";

/** Limited, because a list from a pipe may never end. */
const COUNTING_MS = 2_000;

export const checkOneRemotely = (
  { client, explain }: RemoteService,
  options: ValidateOptions = {},
): CheckEmails =>
  async function* (emails) {
    try {
      for await (const email of emails) yield await client.validate(email, options);
    } catch (error) {
      throw explain(error);
    }
  };

export const checkListRemotely = (
  { client, explain }: RemoteService,
  options: ValidateOptions = {},
): CheckEmails =>
  async function* (emails) {
    const source = emails[Symbol.asyncIterator]();
    let read = 0;
    let yielded = 0;
    const next = async () => {
      const step = await source.next();
      if (!step.done) read++;
      return step;
    };
    try {
      // Has no return(), so that the SDK does not close the source, which is counted below.
      for await (const item of client.validateMany({ [Symbol.asyncIterator]: () => ({ next }) }, options)) {
        yielded++;
        yield item;
      }
    } catch (error) {
      const failure = await Promise.resolve(error)
        .then(explain)
        .catch((explained: unknown) => explained);
      if (!(failure instanceof ServiceFailure)) throw failure;
      const isComplete = await drain(next);
      const left = `${isComplete ? "" : "at least "}${(read - yielded).toLocaleString("en")}`;
      failure.message += `\n  ${yielded.toLocaleString("en")} addresses have a result, ${left} do not`;
      throw failure;
    }
  };

/** Returns whether the source ended in time. */
async function drain(next: () => Promise<IteratorResult<string>>): Promise<boolean> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve(false);
    }, COUNTING_MS);
  });
  const readAll = async () => {
    while (!isLate) if ((await next()).done) return true;
    return false;
  };
  const isComplete = await Promise.race([readAll().catch(() => false), late]);
  clearTimeout(timer);
  return isComplete;
}
