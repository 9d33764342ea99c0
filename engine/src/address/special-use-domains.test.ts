import { expect, test } from "vitest";
import { specialUseOf } from "./special-use-domains.ts";

test.for([
  "example.com",
  "mail.example.org",
  "example",
  "shop.example",
  "anything.test",
  "printer.local",
  "a.b.localhost",
  "x.invalid",
  "hidden.onion",
  "1.2.0.192.in-addr.arpa",
  "box.home.arpa",
  "db.internal",
  "files.lan",
])("%s carries no public mail, with a reason", (domain) => {
  expect(specialUseOf(domain)).toMatch(/^\.?\S+ .{10,}/);
});

test.for([
  "gmail.com",
  "myexample.com",
  "example.de",
  "example.co.uk",
  "test.com",
  "local.com",
  "latest.io",
  "constructor.com",
])("%s is an ordinary name", (domain) => {
  expect(specialUseOf(domain)).toBeUndefined();
});

test("an exempt name is ordinary, the others stay special", () => {
  expect(specialUseOf("shop.test", ["test"])).toBeUndefined();
  expect(specialUseOf("shop.example", ["test"])).toBeDefined();
});
