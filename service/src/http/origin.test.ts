import { expect, test } from "vitest";
import { requireSameOrigin } from "./origin.ts";

const PUBLIC_URL = "https://mailvet.example";

type Case = [what: string, headers: Record<string, string>, isOurs: boolean];

const POSTS: Case[] = [
  ["a program, which sends no Origin", {}, true],
  ["our page at the public address", { origin: PUBLIC_URL, host: "10.0.0.5:8080" }, true],
  [
    "our page at the address it was asked at",
    { origin: "http://localhost:8080", host: "localhost:8080" },
    true,
  ],
  ["another site", { origin: "https://evil.example", host: "mailvet.example" }, false],
  ["another port of the same host", { origin: "http://localhost:3000", host: "localhost:8080" }, false],
  ["the public host without encryption", { origin: "http://mailvet.example", host: "10.0.0.5" }, false],
  ["a name that only begins like ours", { origin: "https://mailvet.example.evil.example" }, false],
  ["a page that hides its origin", { origin: "null", host: "mailvet.example" }, false],
  ["another site, as the browser says", { "sec-fetch-site": "cross-site" }, false],
];

test.each(POSTS)("a POST from %s", (_what, headers, isOurs) => {
  const check = () => requireSameOrigin({ method: "POST", headers }, PUBLIC_URL);
  if (isOurs) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: "origin_rejected" }));
});

test("reading may be asked for from anywhere: without CORS the answer is not shown there", () => {
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect(() => requireSameOrigin({ method: "GET", headers }, PUBLIC_URL)).not.toThrow();
});
