import { expect, test } from "vitest";
import { createConcurrencyLimit } from "./concurrency-limit.ts";

test("an account beyond its limit is rate limited, while another still gets a slot", () => {
  const limit = createConcurrencyLimit({ what: "uploads", perAccount: 1, total: 10 });
  const release = limit.acquire("ann");
  expect(() => limit.acquire("ann")).toThrow(expect.objectContaining({ code: "rate_limited" }));
  limit.acquire("bob");
  release();
  limit.acquire("ann");
  expect(limit.active).toBe(2);
});

test("beyond the total every account is refused as overloaded", () => {
  const limit = createConcurrencyLimit({ what: "uploads", total: 1, retryAfterSeconds: 2 });
  limit.acquire("ann");
  expect(() => limit.acquire("bob")).toThrow(
    expect.objectContaining({ code: "overloaded", extras: { retryAfterSeconds: 2 } }),
  );
});

test("a slot is released once, however often it is given up", () => {
  const limit = createConcurrencyLimit({ what: "uploads", perAccount: 2 });
  const release = limit.acquire("ann");
  limit.acquire("ann");
  release();
  release();
  expect(limit.active).toBe(1);
  limit.acquire("ann");
  expect(() => limit.acquire("ann")).toThrow();
});

test("limits given with the call replace the defaults", () => {
  const limit = createConcurrencyLimit({ what: "requests" });
  limit.acquire("ann", { perAccount: 1 });
  expect(() => limit.acquire("ann", { perAccount: 1 })).toThrow(/At most 1 concurrent requests/);
  limit.acquire("ann", { perAccount: 2 });
});
