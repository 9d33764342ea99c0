import { expect, test } from "vitest";
import { profileOf } from "../smtp/throttle/provider-profile.ts";
import type { FromThread, LimiterState } from "./messages.ts";
import { RemoteLimiters } from "./remote-limiter.ts";

const STATE: LimiterState = {
  limit: 1,
  delayLeftMs: 0,
  openBreaker: undefined,
  hasWaiters: false,
  hasInteractiveWaiter: false,
};

function startWait() {
  const sent: FromThread[] = [];
  const limiters = new RemoteLimiters((message) => sent.push(message));
  const cancel = new AbortController();
  let isInteractive = false;
  const acquired = limiters.limiterFor("mx.test", profileOf("")).acquire(cancel.signal, () => isInteractive);
  return { sent, limiters, cancel, acquired, raise: () => (isInteractive = true) };
}

test("a wait that was cancelled is forgotten", async () => {
  const { sent, limiters, cancel, acquired, raise } = startWait();
  cancel.abort();
  expect(await acquired).toBe(false);
  raise();
  limiters.updatePriorities(true);
  expect(sent.map(({ type }) => type)).toEqual(["acquire", "cancel"]);
});

test("a slot that is granted while its wait is cancelled is released", async () => {
  const { sent, limiters, cancel, acquired } = startWait();
  cancel.abort();
  limiters.grant(1, "mx.test", STATE);
  expect(await acquired).toBe(false);
  expect(sent.map(({ type }) => type)).toEqual(["acquire", "cancel", "release"]);
});
