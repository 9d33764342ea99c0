import { expect, test } from "vitest";
import { parseAddress } from "../address/address.ts";
import { roleOf } from "../reference/role-addresses.ts";
import { decoyName } from "./decoy-name.ts";

const DAY_MS = 24 * 3600 * 1000;
const MONDAY_MS = 7 * DAY_MS * 3000;

test("the name is stable for a domain and a week, so that greylisting accepts it on retry", () => {
  expect(decoyName("shop.test", MONDAY_MS)).toBe(decoyName("shop.test", MONDAY_MS + 6 * DAY_MS));
  expect(decoyName("shop.test", MONDAY_MS)).not.toBe(decoyName("shop.test", MONDAY_MS + 7 * DAY_MS));
});

test("every domain has a different name, which is an ordinary mailbox name and not a role", () => {
  const names = Array.from({ length: 500 }, (_, i) => decoyName(`shop${i}.test`, MONDAY_MS));
  expect(new Set(names).size).toBeGreaterThan(495);
  for (const name of names) {
    expect(name).toMatch(/^[a-z]{3,6}\.[a-z]{9,13}$/);
    expect(parseAddress(`${name}@shop.org`).ok).toBe(true);
    expect(roleOf(name)).toBeUndefined();
  }
});

test("the random name has consonants and digits only", () => {
  for (let i = 0; i < 100; i++) {
    expect(decoyName(`shop${i}.test`, MONDAY_MS, "random")).toMatch(/^([b-df-hj-np-tv-z]{2}\d){4}$/);
  }
});
