/** Pages and emails that are made outside the web app cannot import its design tokens, but have no other colours. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { palette, schemes } from "../web/src/design/tokens.ts";

const colours = new Set(JSON.stringify([palette, schemes]).match(/#[0-9a-f]{6}/g));

test.each([
  "web/src/guide/tokens.css",
  "service/src/http/openapi/reference-page.ts",
  "service/src/mail/email-layout.ts",
])("%s has the colours of the design tokens", (path) => {
  const used =
    readFileSync(new URL(`../${path}`, import.meta.url), "utf8").match(/(?<!&)#[0-9a-f]{3,8}\b/gi) ?? [];
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((colour) => !colours.has(colour))).toEqual([]);
});
