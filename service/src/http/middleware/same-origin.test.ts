import { expect, test } from "vitest";
import { requireSameOrigin, requireSameOriginForSpending } from "./same-origin.ts";

const PUBLIC_URL = "https://mailvet.example";

type Case = [what: string, headers: Record<string, string>, isAllowed: boolean];

const POSTS: Case[] = [
  ["a client without Origin", {}, true],
  ["the public origin", { origin: PUBLIC_URL, host: "10.0.0.5:8080" }, true],
  ["the public origin with Sec-Fetch-Site", { origin: PUBLIC_URL, "sec-fetch-site": "same-origin" }, true],
  [
    "the origin of the Host header, which is not the public one",
    { origin: "http://localhost:8080", host: "localhost:8080" },
    false,
  ],
  ["another site", { origin: "https://evil.example", host: "mailvet.example" }, false],
  ["another port of the public host", { origin: `${PUBLIC_URL}:8443`, host: "mailvet.example" }, false],
  ["a sibling subdomain", { "sec-fetch-site": "same-site" }, false],
  ["the public host over http", { origin: "http://mailvet.example", host: "10.0.0.5" }, false],
  ["a host with our name as a prefix", { origin: "https://mailvet.example.evil.example" }, false],
  ["an opaque origin", { origin: "null", host: "mailvet.example" }, false],
  ["another site by Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }, false],
];

test.each(POSTS)("a POST from %s", (_what, headers, isAllowed) => {
  const check = () => requireSameOrigin({ method: "POST", headers }, PUBLIC_URL);
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: "origin_rejected" }));
});

test("without a public URL the Origin must match the Host header", () => {
  const from = (origin: string) => () =>
    requireSameOrigin({ method: "POST", headers: { origin, host: "localhost:8080" } }, undefined);
  expect(from("http://localhost:8080")).not.toThrow();
  expect(from("http://localhost:3000")).toThrow("Cross-origin");
});

test.each<Case>([
  ["our own origin", { "sec-fetch-site": "same-origin" }, true],
  ["a link or an image on another site", { "sec-fetch-site": "cross-site" }, false],
  ["a sibling subdomain", { "sec-fetch-site": "same-site" }, false],
  ["the address bar", { "sec-fetch-site": "none" }, false],
  ["a client without Sec-Fetch-Site", {}, false],
  [
    "another origin that claims same-origin",
    { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
    false,
  ],
])("a GET that spends a session's credits, from %s", (_what, headers, isAllowed) => {
  const check = () => requireSameOriginForSpending({ method: "GET", headers }, PUBLIC_URL);
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: "origin_rejected" }));
});

test("safe methods pass from any origin: without CORS the response is not readable there", () => {
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect(() => requireSameOrigin({ method: "GET", headers }, PUBLIC_URL)).not.toThrow();
});
