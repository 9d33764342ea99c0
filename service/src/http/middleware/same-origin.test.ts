import { expect, test } from "vitest";
import { requireOwnPage, requireSameOrigin } from "./same-origin.ts";

const PUBLIC_URL = "https://mailvet.example";

type Case = [what: string, headers: Record<string, string>, isOurs: boolean];

const POSTS: Case[] = [
  ["a program, which sends no Origin", {}, true],
  ["our page at the public address", { origin: PUBLIC_URL, host: "10.0.0.5:8080" }, true],
  ["our page, as the browser says", { origin: PUBLIC_URL, "sec-fetch-site": "same-origin" }, true],
  [
    "a page at the address it was asked at, which is not the public one",
    { origin: "http://localhost:8080", host: "localhost:8080" },
    false,
  ],
  ["another site", { origin: "https://evil.example", host: "mailvet.example" }, false],
  ["another port of the public host", { origin: `${PUBLIC_URL}:8443`, host: "mailvet.example" }, false],
  ["a neighbour under the same domain", { "sec-fetch-site": "same-site" }, false],
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

test("without a public address our pages are where the request was sent to", () => {
  const from = (origin: string) => () =>
    requireSameOrigin({ method: "POST", headers: { origin, host: "localhost:8080" } }, undefined);
  expect(from("http://localhost:8080")).not.toThrow();
  expect(from("http://localhost:3000")).toThrow("own pages");
});

test.each<Case>([
  ["our own page", { "sec-fetch-site": "same-origin" }, true],
  ["a link or an image somewhere", { "sec-fetch-site": "cross-site" }, false],
  ["a neighbour under the same domain", { "sec-fetch-site": "same-site" }, false],
  ["the address bar", { "sec-fetch-site": "none" }, false],
  ["who does not say", {}, false],
  [
    "another origin that claims to be ours",
    { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
    false,
  ],
])("a GET that spends a session's credits, from %s", (_what, headers, isOurs) => {
  const check = () => requireOwnPage({ method: "GET", headers }, PUBLIC_URL);
  if (isOurs) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: "origin_rejected" }));
});

test("reading may be asked for from anywhere: without CORS the answer is not shown there", () => {
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect(() => requireSameOrigin({ method: "GET", headers }, PUBLIC_URL)).not.toThrow();
});
