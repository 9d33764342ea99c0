import { expect, test } from "vitest";
import { SPECIAL_USE_NAMES, specialUseOf } from "../address/special-use-domains.ts";
import { offendingText, syntaxError } from "../address/syntax-error.ts";
import type { Evidence } from "../evidence.ts";
import { decide } from "../verdict.ts";
import { reasonOf } from "./reason.ts";

const german = (evidence: Evidence) => reasonOf(evidence, decide(evidence), "de");

test.each([
  ["several_at", "", "Es gibt ein zweites @; das ist nur innerhalb von Anführungszeichen erlaubt."],
  ["several_addresses", " ", "Das sieht nach mehr als einer Adresse aus, getrennt durch ein Leerzeichen."],
  ["tld_numeric", ".123", "Keine Domain endet auf Ziffern wie „.123“."],
  ["control_character", "\u0007", "Die Adresse enthält ein Steuerzeichen (U+0007)."],
  [
    "domain_single_label",
    "a”b",
    "Die Domain „a”b“ hat keinen Punkt; eine Domain im Internet hat mindestens zwei Teile.",
  ],
] as const)("the syntax error %s quotes what the English message quotes", (rule, offending, sentence) => {
  expect(german({ email: "x", syntaxError: syntaxError(rule, 0, offending) })).toBe(sentence);
});

test("an unknown message is not quoted", () => {
  const error = { rule: "tld_numeric", position: 0, message: "Something else." } as const;
  expect(offendingText(error)).toBeUndefined();
  expect(german({ email: "x", syntaxError: error })).toBe("Die Adresse ist falsch aufgebaut.");
});

test("every special-use name has a German text", () => {
  expect(SPECIAL_USE_NAMES.length).toBeGreaterThan(10);
  for (const name of SPECIAL_USE_NAMES) {
    const specialUse = specialUseOf(name.includes(".") ? name : `shop.${name}`)!;
    const reason = german({ email: "x", address: {} as never, specialUse });
    expect(reason).toMatch(
      /^Diese Domain hat keine öffentliche Mail: \S+ (ist|wird|existiert|bezeichnet) .+\.$/,
    );
  }
});

test.each([
  [
    "Gmail names have only letters, digits and dots",
    "Namen bei Gmail bestehen nur aus Buchstaben, Ziffern und Punkten.",
  ],
  [
    "Gmail names have 6 to 30 letters and digits, dots not counted",
    "Namen bei Gmail haben 6 bis 30 Buchstaben und Ziffern; Punkte zählen nicht.",
  ],
  ["The provider does not issue this mailbox name", "Der Anbieter vergibt diesen Postfachnamen nicht."],
])("%s", (providerSyntaxError, sentence) => {
  expect(german({ email: "x", address: {} as never, providerSyntaxError })).toBe(sentence);
});
