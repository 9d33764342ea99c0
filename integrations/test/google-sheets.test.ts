/** The script for Google Sheets, in a context with stand-ins for the globals of Apps Script. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";
import { BulkItem } from "../../contract/src/validation.ts";

const CODE = readFileSync(new URL("../google-sheets/Code.js", import.meta.url), "utf8");

type Sent = { url: string; options: { headers: Record<string, string>; payload: string } };
type Answer = { status: number; text: string };

/** `answer` gets the addresses of a request. */
function openSheet({ answer = validAll, properties = SETTINGS }: Partial<Sheet> = {}) {
  const sent: Sent[] = [];
  const cached = new Map<string, { text: string; seconds: number }>();
  const written: unknown[] = [];
  const globals = createContext({
    PropertiesService: {
      getScriptProperties: () => ({ getProperty: (name: string) => properties[name] ?? null }),
    },
    CacheService: {
      getScriptCache: () => ({
        getAll: (keys: string[]) =>
          Object.fromEntries(keys.flatMap((key) => (cached.has(key) ? [[key, cached.get(key)!.text]] : []))),
        putAll(entries: Record<string, string>, seconds: number) {
          expect(Object.keys(entries).length).toBeLessThanOrEqual(100);
          for (const [key, text] of Object.entries(entries)) {
            expect(key.length).toBeLessThanOrEqual(250);
            cached.set(key, { text, seconds });
          }
        },
      }),
    },
    UrlFetchApp: {
      fetch(url: string, options: Sent["options"]) {
        sent.push({ url, options });
        const { status, text } = answer(JSON.parse(options.payload).emails);
        return { getResponseCode: () => status, getContentText: () => text };
      },
    },
    Utilities: {
      DigestAlgorithm: { SHA_256: "sha256" },
      Charset: { UTF_8: "utf8" },
      // Without a charset it is US-ASCII, in which other characters are question marks.
      computeDigest: (name: string, text: string, charset?: "utf8") =>
        createHash(name)
          .update(charset ? text : text.replaceAll(/[^\0-\x7f]/g, "?"))
          .digest(),
      base64Encode: (bytes: Buffer) => bytes.toString("base64"),
    },
    SpreadsheetApp: {
      getActiveRange: () => ({
        getNumColumns: () => 1,
        getValues: () => [["ann@shop.io"], [""], ["bob@shop.io"]],
        offset: (...place: number[]) => ({ setValues: (values: unknown) => written.push({ place, values }) }),
      }),
    },
  });
  runInContext(CODE, globals);
  const call = (expression: string) => JSON.parse(runInContext(`JSON.stringify(${expression})`, globals));
  return {
    call,
    sent,
    cached,
    written,
    emailsSent: () => sent.map(({ options }) => JSON.parse(options.payload).emails),
  };
}

type Sheet = { answer: (emails: string[]) => Answer; properties: Record<string, string> };
const SETTINGS = { MAILVET_SERVICE: "https://mailvet.example.com/", MAILVET_API_KEY: "mv_live_key" };

const resultOf = (email: string) => ({
  email,
  status: email.startsWith("slow") ? "unknown" : "valid",
  sub_status: "",
  recommendation: "send",
  score: 97,
  suggestion: null,
});
const validAll = (emails: string[]): Answer => ({
  status: 200,
  text: JSON.stringify({ results: emails.map(resultOf) }),
});

test("a range is answered in its shape, with one request for its unique addresses", () => {
  const { call, sent, emailsSent } = openSheet();
  expect(call(`MAILVET([["Ann@shop.io ", ""], ["ann@shop.io", "bob@shop.io"]])`)).toEqual([
    ["valid", ""],
    ["valid", "valid"],
  ]);
  expect(emailsSent()).toEqual([["ann@shop.io", "bob@shop.io"]]);
  expect(sent[0]).toMatchObject({
    url: "https://mailvet.example.com/api/v1/validation/bulk",
    options: { headers: { "X-API-Key": "mv_live_key" }, contentType: "application/json", method: "post" },
  });
});

test("one cell, and another field", () => {
  const { call } = openSheet();
  expect(call(`MAILVET("ann@shop.io")`)).toBe("valid");
  expect(call(`MAILVET("ann@shop.io", "score")`)).toBe(97);
  expect(call(`MAILVET("ann@shop.io", "suggestion")`)).toBe("");
  expect(() => call(`MAILVET("ann@shop.io", "colour")`)).toThrow('there is no field "colour"');
});

test("long ranges are sent in requests of 1,000", () => {
  const { call, emailsSent } = openSheet();
  const rows = Array.from({ length: 2_500 }, (_, row) => [`ann${row}@shop.io`]);
  expect(call(`MAILVET(${JSON.stringify(rows)})`)).toHaveLength(2_500);
  expect(emailsSent().map((emails: string[]) => emails.length)).toEqual([1000, 1000, 500]);
});

test("another spelling of an address in the same request gets its result too", () => {
  const likeTheService = (emails: string[]) =>
    validAll([...new Map(emails.toReversed().map((email) => [email.replaceAll('"', ""), email])).values()]);
  const { call, emailsSent } = openSheet({ answer: likeTheService });
  expect(call(`MAILVET([["ann@shop.io"], ['"ann"@shop.io']])`)).toEqual([["valid"], ["valid"]]);
  expect(call(`MAILVET([['"ann"@shop.io']])`)).toEqual([["valid"]]);
  expect(emailsSent()).toEqual([["ann@shop.io", '"ann"@shop.io'], ['"ann"@shop.io']]);
});

test("the fields that the script names exist", () => {
  const named = [...CODE.matchAll(/another field: (.*) …/g)].flatMap(([, names]) => names!.split(", "));
  const used = [...CODE.matchAll(/=MAILVET\(A2:A100, "(\w+)"\)/g)].map(([, name]) => name!);
  expect(used).not.toEqual([]);
  expect(Object.keys(BulkItem.properties)).toEqual(expect.arrayContaining([...named, ...used]));
});

test("results are cached, unknown ones for a shorter time", () => {
  const { call, emailsSent, cached } = openSheet();
  call(`MAILVET([["ann@shop.io"], ["slow@shop.io"]])`);
  expect(call(`MAILVET([["ANN@shop.io"], ["slow@shop.io"]], "status")`)).toEqual([["valid"], ["unknown"]]);
  expect(emailsSent()).toHaveLength(1);
  expect([...cached.values()].map(({ seconds }) => seconds)).toEqual([21_600, 600]);
});

test("addresses that differ in letters beyond ASCII have results of their own", () => {
  const { call, emailsSent } = openSheet();
  expect(call(`MAILVET("jörg@shop.io", "email")`)).toBe("jörg@shop.io");
  expect(call(`MAILVET("järg@shop.io", "email")`)).toBe("järg@shop.io");
  expect(emailsSent()).toHaveLength(2);
});

test("the menu writes five columns beside the selection", () => {
  const { call, written } = openSheet();
  call("checkSelection() ?? null");
  expect(written).toEqual([
    {
      place: [0, 1, 3, 5],
      values: [
        ["valid", "", "send", 97, ""],
        ["", "", "", "", ""],
        ["valid", "", "send", 97, ""],
      ],
    },
  ]);
});

test("a refusal of the service is shown with its detail, and missing settings name the menu", () => {
  const problem = { status: 402, text: JSON.stringify({ detail: "One credit is needed." }) };
  expect(() => openSheet({ answer: () => problem }).call(`MAILVET("ann@shop.io")`)).toThrow(
    "Mailvet: One credit is needed.",
  );
  const gateway = { status: 502, text: "<html>Bad gateway" };
  expect(() => openSheet({ answer: () => gateway }).call(`MAILVET("ann@shop.io")`)).toThrow("Bad gateway");
  expect(() => openSheet({ properties: {} }).call(`MAILVET("ann@shop.io")`)).toThrow("Settings");
});
