import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "./password.ts";

test("a password matches its own hash only, and never a missing one", async () => {
  const hash = await hashPassword("correct horse battery");
  expect(await verifyPassword("correct horse battery", hash)).toBe(true);
  expect(await verifyPassword("Correct horse battery", hash)).toBe(false);
  expect(await verifyPassword("correct horse battery", undefined)).toBe(false);
});

test("composed and decomposed accents are the same", async () => {
  expect(await verifyPassword("cafe\u0301 au lait", await hashPassword("caf\u00e9 au lait"))).toBe(true);
});

test("a flood of passwords is refused instead of queued without limit", async () => {
  const hash = await hashPassword("correct horse battery");
  const flood = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword("a guess", hash)));
  const refused = flood.filter((one) => one.status === "rejected");
  expect(refused).toHaveLength(8); // 2 running, 50 waiting
  expect(refused[0]!.reason).toMatchObject({ code: "overloaded", extras: { retryAfterSeconds: 2 } });
  expect(await verifyPassword("correct horse battery", hash)).toBe(true);
});
