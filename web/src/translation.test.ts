/** The German catalogues have the same keys as the English ones, and other texts. */
import { isValidElement } from "react";
import { expect, test } from "vitest";
import type { Translation } from "./translation.ts";

type Catalogue = Record<string, unknown>;
const ENGLISH = import.meta.glob<Catalogue>(["./**/messages.{ts,tsx}", "!./guide/**"], { eager: true });
const GERMAN = import.meta.glob<Catalogue>("./**/messages.de.{ts,tsx}", { eager: true });
const germanOf = (path: string) => path.replace(/\.(tsx?)$/, ".de.$1");

/** Words of both languages, names, examples, units and formats; without digits and punctuation at either end. */
const SAME = new Set(
  `Mailvet API CSV DNS Excel NDJSON QQ GMX iCloud Mail.ru URL ⌘ K V Esc English Deutsch Free Starter Growth Enterprise Live Test
  Worker DATABASE_URL Code Credit Credits Domain Host Link Name Optional Passkeys Problem Score Status Syntax System Tags
  score email domain checked_at unknown Webhook Webhooks Downloads Catch-all Version ms s h min kB MB webhook-id`.split(
    /\s+/,
  ),
).add("Pay as you go");
const EXAMPLE = /@example\.com|^https:|^email,status|^[\d.:a-f\s/]+$/; // addresses, column lists

/** What functions are called with: a number, or a status and what else has a name in both languages. */
const PARAMETERS: readonly unknown[] = [3, "valid", "failed"];

type Text = [path: string, text: string];

function textsOf(value: unknown, path: string): Text[] {
  if (typeof value === "string" || typeof value === "number") return [[path, String(value)]];
  if (typeof value === "function") return calledTexts(value as never, path);
  if (isValidElement<{ children?: unknown }>(value)) return [[path, elementText(value)]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`));
}

function calledTexts(value: (...parameters: unknown[]) => unknown, path: string): Text[] {
  return PARAMETERS.flatMap((parameter) => {
    const called = `${path}(${parameter})`;
    try {
      const all = [parameter, parameter === 3 ? 3 : "send", 3, 3];
      return textsOf(value(...all), called);
    } catch {
      return []; // not a value of this parameter
    }
  });
}

function elementText(node: unknown): string {
  if (Array.isArray(node)) return node.map(elementText).join("");
  if (isValidElement<{ children?: unknown }>(node)) return elementText(node.props.children);
  return typeof node === "string" || typeof node === "number" ? String(node) : "";
}

/** Without parameters, digits and punctuation. */
function wordsOf(text: string): string {
  return text.replace(/\b(valid|failed|send|NaN)\b/g, "").replace(/^[^\p{L}⌘]+|[^\p{L}⌘]+$/gu, "");
}

function keysOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isValidElement(value)) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keysOf(inner)]));
}

test("there is a German catalogue for each English one", () => {
  expect(Object.keys(ENGLISH).length).toBeGreaterThan(10);
  expect(Object.keys(GERMAN).sort()).toEqual(Object.keys(ENGLISH).map(germanOf).sort());
});

test.each(Object.keys(ENGLISH))("%s has the same keys in German", (path) => {
  expect(keysOf({ ...GERMAN[germanOf(path)] })).toEqual(keysOf({ ...ENGLISH[path] }));
});

test.each(Object.keys(ENGLISH))("%s is translated", (path) => {
  const german = new Map(textsOf(GERMAN[germanOf(path)], ""));
  const equal = textsOf(ENGLISH[path], "").filter(([key, text]) => {
    const words = wordsOf(text);
    return german.get(key) === text && words !== "" && !SAME.has(words) && !EXAMPLE.test(text);
  });
  expect(equal).toEqual([]);
});

test("a missing or surplus text is a type error", () => {
  const english = { title: "Title", count: (count: number) => `${count} rows` } as const;
  const german: Translation<typeof english> = { title: "Titel", count: (count) => `${count} Zeilen` };
  // @ts-expect-error: the count is missing
  const missing: Translation<typeof english> = { title: "Titel" };
  // @ts-expect-error: there is no such text
  const surplus: Translation<typeof english> = { ...german, title: "Titel", other: "Anderes" };
  expect([missing, surplus]).toHaveLength(2);
});
