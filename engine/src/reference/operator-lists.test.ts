import { expect, test } from "vitest";
import { growth, LINEAR_AT_FOURFOLD } from "../../test/growth.ts";
import { parseLocalLists } from "./operator-lists.ts";

test("allow and deny lines are parsed despite comments, blanks and other notations", () => {
  const { allow, deny, problems } = parseLocalLists(
    [
      "\uFEFF# ours",
      "allow example.com",
      "",
      "  DENY   Example.NET   # noisy",
      "deny *.wild.example",
      "deny @at.example",
      "allow bücher.example.",
    ].join("\r\n"),
  );

  expect([...allow]).toEqual(["example.com", "xn--bcher-kva.example"]);
  expect([...deny]).toEqual(["example.net", "wild.example", "at.example"]);
  expect(problems).toEqual([]);
});

test("an invalid line is reported by its number and ignored", () => {
  const { allow, deny, problems } = parseLocalLists(
    [
      "block example.com",
      "deny",
      "allow one.example two.example",
      "deny com",
      "deny 127.0.0.1",
      "deny a/b.example",
      "constructor x.example",
    ].join("\n"),
  );

  expect(allow.size + deny.size).toBe(0);
  expect(problems).toEqual([
    { line: 1, text: "block example.com", reason: 'a line must begin with "allow" or "deny"' },
    { line: 2, text: "deny", reason: "the domain is missing" },
    { line: 3, text: "allow one.example two.example", reason: "only one domain per line is allowed" },
    { line: 4, text: "deny com", reason: "not a domain name" },
    { line: 5, text: "deny 127.0.0.1", reason: "not a domain name" },
    { line: 6, text: "deny a/b.example", reason: "not a domain name" },
    { line: 7, text: "constructor x.example", reason: 'a line must begin with "allow" or "deny"' },
  ]);
});

test("an overlong line is quoted in part and parsed in linear time", async () => {
  const parse = (length: number) => {
    const { problems } = parseLocalLists(`deny ${"é".repeat(length)}.example\n${"#".repeat(length)}`);
    expect(problems).toHaveLength(1);
    expect(problems[0]!.text.length).toBeLessThanOrEqual(80);
  };
  expect(await growth(parse, { from: 250_000, to: 1_000_000 })).toBeLessThan(LINEAR_AT_FOURFOLD);
});
