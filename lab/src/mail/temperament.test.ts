import { expect, test } from "vitest";
import { compose, type ServerSession } from "./temperament.ts";

const session = {} as ServerSession;

test("replies and extensions of the first temperament take precedence", () => {
  const temperament = compose([
    { replies: { quit: "221 first" }, extensions: { without: ["SIZE"] } },
    [{ replies: { quit: "221 second", mail: "250 second" }, extensions: { with: ["SIZE 1", "CHUNKING"] } }],
  ]);
  expect(temperament.replies).toMatchObject({
    quit: "221 first",
    mail: "250 second",
    exists: "250 2.1.5 Ok",
  });
  expect(temperament.extensions).toContain("CHUNKING");
  expect(temperament.extensions.some((line) => line.startsWith("SIZE"))).toBe(false);
});

test("delays add up until one temperament answers, and later ones are not called", () => {
  const temperament = compose([
    { on: { rcpt: () => ({ delayMs: 10 }) } },
    { on: { rcpt: () => undefined } },
    { on: { rcpt: () => ({ delayMs: 5, reply: "250 yes" }) } },
    { on: { rcpt: () => ({ delayMs: 100, reply: "550 no" }) } },
  ]);
  expect(temperament.ask("rcpt", session)).toEqual({ delayMs: 15, reply: "250 yes" });
  expect(temperament.ask("mail", session)).toBeUndefined();
});

test("the first temperament that knows a mailbox decides", () => {
  const temperament = compose([
    { mailbox: ({ localPart }) => (localPart === "ann" ? "full" : undefined) },
    { mailbox: () => "catch_all" },
  ]);
  expect(temperament.mailbox({ localPart: "ann", domain: "lab.example" })).toBe("full");
  expect(temperament.mailbox({ localPart: "bob", domain: "lab.example" })).toBe("catch_all");
});
