import { expect, test } from "vitest";
import { compose, type Visit } from "./temperament.ts";

const visit = {} as Visit;

test("the first temperament's words and extensions win", () => {
  const character = compose([
    { words: { quit: "221 first" }, extensions: { without: ["SIZE"] } },
    [{ words: { quit: "221 second", mail: "250 second" }, extensions: { with: ["SIZE 1", "CHUNKING"] } }],
  ]);
  expect(character.words).toMatchObject({ quit: "221 first", mail: "250 second", exists: "250 2.1.5 Ok" });
  expect(character.extensions).toContain("CHUNKING");
  expect(character.extensions.some((line) => line.startsWith("SIZE"))).toBe(false);
});

test("delays add up until one answers, and those behind it are not asked", () => {
  const character = compose([
    { on: { rcpt: () => ({ delayMs: 10 }) } },
    { on: { rcpt: () => undefined } },
    { on: { rcpt: () => ({ delayMs: 5, reply: "250 yes" }) } },
    { on: { rcpt: () => ({ delayMs: 100, reply: "550 no" }) } },
  ]);
  expect(character.ask("rcpt", visit)).toEqual({ delayMs: 15, reply: "250 yes" });
  expect(character.ask("mail", visit)).toBeUndefined();
});

test("of several that know a mailbox the first decides", () => {
  const character = compose([
    { mailbox: ({ localPart }) => (localPart === "ann" ? "full" : undefined) },
    { mailbox: () => "catch_all" },
  ]);
  expect(character.mailbox({ localPart: "ann", domain: "lab.example" })).toBe("full");
  expect(character.mailbox({ localPart: "bob", domain: "lab.example" })).toBe("catch_all");
});
