/** Sentences of the API without a code, as the service's source has them, are in the German catalogues. */
import { expect, test } from "vitest";
import { common } from "./messages.de.ts";
import { messages as webhooks } from "./pages/webhooks/messages.de.tsx";

const sourcesOf = (files: Record<string, string>) => Object.values(files).join("\n");
const DELIVERIES = sourcesOf(
  import.meta.glob<string>(
    "../../service/src/webhooks/{auto-disable,checked-request,delivery-handler,destination-check,http-post}.ts",
    { query: "?raw", import: "default", eager: true },
  ),
);
const FIELDS = sourcesOf(
  import.meta.glob<string>(
    [
      "../../service/src/{accounts,lifecycle}/**/*.ts",
      "../../service/src/http/routes/{key,lifecycle,operator}-routes.ts",
      "../../service/src/webhooks/{destination-check,endpoints}.ts",
    ],
    { query: "?raw", import: "default", eager: true },
  ),
);

/** What the patterns capture, with a value for each parameter. */
function found(source: string, ...patterns: RegExp[]): string[] {
  const sentences = patterns.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1]!));
  return [...new Set(sentences)].map((sentence) => sentence.replace(/\$\{[^}]*\}/g, "2026"));
}

const SENTENCE = /["`]((?:[A-Z][a-z]*|\$\{host\}) [^"`\n]+\.)["`]/g;

test.each(found(DELIVERIES, SENTENCE))("a delivery: %s", (sentence) => {
  expect(webhooks.deliveries.trouble(sentence)).not.toBe(sentence);
});

const REFUSAL = /(?:wrongValue|refuse)\("[^"]+", "([^"]+)"/g;
const PASSWORD_RULE = /"([^"]+ Choose another\.)"/g;

test.each(found(FIELDS, REFUSAL, PASSWORD_RULE).filter((sentence) => !sentence.includes("NUL")))(
  "a field: %s",
  (sentence) => {
    expect(common.error.field(sentence)).not.toBe(common.error.field(""));
  },
);

test("limits of a field are formatted", () => {
  expect(common.error.field("must have at most 2048 characters")).toMatch(/^Höchstens 2.048 Zeichen\.$/);
  expect(common.error.field("must have at least 1 character")).toBe(common.required);
});
