import { expect, test } from "vitest";
import { isAskable, isHostName, plainName } from "./host-name.ts";

test("a name is plain in lower case and without its final dot", () => {
  expect(plainName("Mail.Example.COM.")).toBe("mail.example.com");
  expect(plainName(".")).toBe(".");
});

test.each(["a", "shop.test", "_dmarc.shop.test", "xn--fa-hia.test", `${"a".repeat(63)}.test`])(
  "%j can be asked for",
  (name) => {
    expect(isAskable(name)).toBe(true);
  },
);

test.each(["", ".", "a..b", ".a", "a b.test", "faß.test", `${"a".repeat(64)}.test`, "a.".repeat(127)])(
  "%j cannot",
  (name) => {
    expect(isAskable(name)).toBe(false);
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

test("names made to be slow to judge, as long as a name may be, are judged in no time", () => {
  const hostile = [
    `${"a-".repeat(126)}!`,
    `${"a.".repeat(126)}-`,
    `${"a".repeat(63)}.`.repeat(3),
    "-".repeat(253),
  ];
  const started = performance.now();
  for (let i = 0; i < 100; i++) {
    for (const name of hostile) expect([isHostName(name), isAskable(`${name} `)]).toEqual([false, false]);
  }
  expect(performance.now() - started).toBeLessThan(2000);
});
