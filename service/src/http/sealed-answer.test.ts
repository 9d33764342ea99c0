import { expect, test } from "vitest";
import { sealFor } from "./sealed-answer.ts";

test("an answer is read with the key that sealed it, and with no other", () => {
  const sealed = sealFor("account-1", "key-1").seal('{"email":"ann@example.com"}');
  expect(sealed.includes("ann")).toBe(false);
  expect(sealFor("account-1", "key-1").open(sealed)).toBe('{"email":"ann@example.com"}');
  expect(() => sealFor("account-1", "key-2").open(sealed)).toThrow();
  expect(() => sealFor("account-2", "key-1").open(sealed)).toThrow();
  sealed[20]! ^= 1;
  expect(() => sealFor("account-1", "key-1").open(sealed)).toThrow();
});

test("the same answer sealed twice looks different", () => {
  const { seal } = sealFor("account-1", "key-1");
  expect(seal("yes").equals(seal("yes"))).toBe(false);
});

test("a fingerprint tells requests apart and depends on the key, so that nobody can guess a request from it", () => {
  const one = sealFor("account-1", "key-1");
  expect(one.fingerprint(["POST", "/a", "b"])).toEqual(one.fingerprint(["POST", "/a", "b"]));
  expect(one.fingerprint(["POST", "/a", "b"])).not.toEqual(one.fingerprint(["POST", "/ab", ""]));
  expect(one.fingerprint(["x"])).not.toEqual(sealFor("account-1", "key-2").fingerprint(["x"]));
});
