import { expect, test } from "vitest";
import { growth, LINEAR_AT_FOURFOLD } from "../../test/growth.ts";
import { isHostName, isQueryable, normaliseName } from "./host-name.ts";

test("a name is normalised to lower case without its final dot", () => {
  expect(normaliseName("Mail.Example.COM.")).toBe("mail.example.com");
  expect(normaliseName(".")).toBe(".");
});

test.each(["a", "shop.test", "_dmarc.shop.test", "xn--fa-hia.test", `${"a".repeat(63)}.test`])(
  "%j can be queried",
  (name) => {
    expect(isQueryable(name)).toBe(true);
  },
);

test.each(["", ".", "a..b", ".a", "a b.test", "faß.test", `${"a".repeat(64)}.test`, "a.".repeat(127)])(
  "%j cannot",
  (name) => {
    expect(isQueryable(name)).toBe(false);
  },
);

test.each(["mx.shop.test", "mx_1.shop.test", "1.shop.test", "localhost", "a-b.test"])(
  "%j may be a mail host",
  (name) => {
    expect(isHostName(name)).toBe(true);
  },
);

test.each([
  "",
  ".",
  "192.0.2.1",
  "::1",
  "127.1",
  "0x7f.1",
  "2130706433",
  "-a.test",
  "a-.test",
  "a..test",
  "mx shop.test",
  "mx\u0000.test",
])("%j may not", (name) => {
  expect(isHostName(name)).toBe(false);
});

test.each<[string, (length: number) => string]>([
  ["labels of hyphens", (length) => `${"a-".repeat(length / 2)}!`],
  ["labels of one letter", (length) => `${"a.".repeat(length / 2)}-`],
  ["labels as long as may be", (length) => `${"a".repeat(63)}.`.repeat(length / 64)],
  ["nothing but hyphens", (length) => "-".repeat(length)],
])("names built to be slow to match are checked in linear time: %s", async (_, nameOf) => {
  const judge = (name: string) => {
    for (let i = 0; i < 2000; i++) if (isHostName(name) || isQueryable(`${name} `)) throw new Error(name);
  };
  expect(await growth(judge, { from: nameOf(64), to: nameOf(256) })).toBeLessThan(LINEAR_AT_FOURFOLD);
});
