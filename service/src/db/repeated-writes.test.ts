import { expect, test } from "vitest";
import { createRepeatedWrites } from "./repeated-writes.ts";

const AWAY = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });

function recorder() {
  const events: string[] = [];
  const writes = createRepeatedWrites((event) => void events.push(event));
  let attempts = 0;
  /** Fails with these errors first. */
  const failing =
    (...errors: Error[]) =>
    async () => {
      const error = errors[attempts++];
      if (error) throw error;
    };
  return { writes, events, failing, attempts: () => attempts };
}

test("what succeeds is written once", async () => {
  const { writes, events, failing, attempts } = recorder();
  await writes.write(failing());
  await writes.close();
  expect([attempts(), events]).toEqual([1, []]);
});

test("while the database is away the caller does not wait, and closing makes a last attempt at once", async () => {
  const { writes, events, failing, attempts } = recorder();
  await writes.write(failing(AWAY));
  expect(attempts()).toBe(1);
  await writes.close();
  expect([attempts(), events]).toEqual([2, []]);
});

test("what cannot be written when it closes is logged, and so is what no repetition could help", async () => {
  const away = recorder();
  await away.writes.write(away.failing(AWAY, AWAY));
  await away.writes.close();
  expect([away.attempts(), away.events]).toEqual([2, ["write_given_up"]]);

  const broken = recorder();
  await broken.writes.write(broken.failing(new Error("a bug")));
  await broken.writes.close();
  expect([broken.attempts(), broken.events]).toEqual([1, ["write_given_up"]]);
});
