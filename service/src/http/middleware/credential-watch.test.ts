import { expect, test } from "vitest";
import { Refusal } from "../../base/refusal.ts";
import { KEY_CHANGED } from "../../keys/key-cache.ts";
import { createCredentialWatch } from "./credential-watch.ts";

function openWatch() {
  const handlers = new Map<string, (payload: string) => void>();
  const notices = {
    on: (channel: string, handler: (payload: string) => void) => void handlers.set(channel, handler),
    onGap: () => {},
    isListening: true,
  };
  return { watch: createCredentialWatch({ notices }), keyChanged: () => handlers.get(KEY_CHANGED)?.("hash") };
}

test("a check that fails while notifications arrive is repeated", async () => {
  const { watch, keyChanged } = openWatch();
  const refusal = new Refusal("invalid_api_key", "The key was revoked.");
  const answers = [async () => undefined, () => Promise.reject(new Error("the pool is exhausted"))];
  const ended = new Promise((resolve) => {
    watch.follow({ accountId: "a", refusal: () => (answers.shift() ?? (async () => refusal))() }, resolve);
  });
  await expect.poll(() => answers).toHaveLength(1);
  keyChanged();
  expect(await ended).toBe(refusal);
});

test("changes during a check are checked once more, not once each", async () => {
  const { watch, keyChanged } = openWatch();
  const finish: (() => void)[] = [];
  const refusal = () => new Promise<undefined>((resolve) => finish.push(() => resolve(undefined)));
  const unfollow = watch.follow({ accountId: "a", refusal }, () => {});
  for (let n = 0; n < 5; n++) keyChanged();
  expect(finish).toHaveLength(1);
  finish[0]!();
  await expect.poll(() => finish).toHaveLength(2);
  finish[1]!();
  await new Promise((resolve) => setImmediate(resolve));
  expect(finish).toHaveLength(2);
  unfollow();
});
