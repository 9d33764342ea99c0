import { expect, test } from "vitest";
import { canonicalEmail } from "./canonical-email.ts";

test.each([
  ["A.Nn.Lee+shop", "googlemail.com", "annlee@gmail.com", true],
  ["annlee", "gmail.com", "annlee@gmail.com", false],
  ["Ann.Lee+x", "outlook.com", "ann.lee@outlook.com", true],
  ["ann.lee", "hotmail.fr", "ann.lee@hotmail.fr", false],
  ["ann+x+y", "me.com", "ann@icloud.com", true],
  ["Ann_L.e-e+x", "proton.me", "annlee@proton.me", true],
  ["ann+x", "fastmail.fm", "ann@fastmail.fm", true],
  ["shop", "ann.fastmail.com", "ann@fastmail.com", true],
  ["ann.lee", "ya.ru", "ann-lee@yandex.ru", false],
  ["ann-lee+x", "yandex.kz", "ann-lee@yandex.ru", true],
] as const)("%s@%s is the mailbox %s", (local, domain, canonical, isSubaddressed) => {
  expect(canonicalEmail(local, domain)).toEqual({ canonical, isSubaddressed });
});

test("a disposable Yahoo name is tagged, but not merged with the account of its base name", () => {
  expect(canonicalEmail("ann-shop", "yahoo.com")).toEqual({
    canonical: "ann-shop@yahoo.com",
    isSubaddressed: true,
  });
  expect(canonicalEmail("ann_lee", "yahoo.com").isSubaddressed).toBe(false);
});

test("without provider rules the address is unchanged and a tag is only flagged", () => {
  expect(canonicalEmail("Ann.Lee+x", "firm.example")).toEqual({
    canonical: "Ann.Lee+x@firm.example",
    isSubaddressed: true,
  });
  expect(canonicalEmail("A.Lee", "yahoo.co.jp").canonical).toBe("A.Lee@yahoo.co.jp");
  expect(canonicalEmail("+ann", "firm.example").isSubaddressed).toBe(false);
});

test("a quoted local part is unchanged", () => {
  expect(canonicalEmail('"a+b"', "gmail.com")).toEqual({
    canonical: '"a+b"@gmail.com',
    isSubaddressed: false,
  });
});

test("canonicalisation is idempotent", () => {
  for (const [local, domain] of [
    ["a.b.c+d", "gmail.com"],
    ["a.b-c", "yandex.com"],
    ["a_b", "pm.me"],
    ["x", "me.fastmail.fm"],
  ] as const) {
    const { canonical } = canonicalEmail(local, domain);
    const at = canonical.lastIndexOf("@");
    expect(canonicalEmail(canonical.slice(0, at), canonical.slice(at + 1)).canonical).toBe(canonical);
  }
});
