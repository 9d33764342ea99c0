/**
 * Which new passwords are refused. Existing passwords keep working.
 *
 * The length is checked by the request's schema. The list of common passwords is loaded with the first new password: it takes a
 * few megabytes, and most processes never need it.
 */
import { wrongValue } from "../base/refusal.ts";

/** Refuses with the reason. `field` is the name of the request's field. */
export async function requireGoodPassword(field: string, password: string, email: string): Promise<void> {
  const reason = await passwordProblem(password, email);
  if (reason) throw wrongValue(`/${field}`, reason);
}

/** Why the password is refused; undefined if it is not. */
export async function passwordProblem(password: string, email: string): Promise<string | undefined> {
  const text = password.normalize("NFKC").toLowerCase();
  const common = await commonPasswords();
  return RULES.find(([applies]) => applies(text, { email, common }))?.[1];
}

type Rule = (text: string, known: { email: string; common: ReadonlySet<string> }) => boolean;

const RULES: readonly (readonly [Rule, string])[] = [
  [(text) => new Set(text).size === 1, "The password repeats one character. Choose another."],
  [
    (text, { email }) => isMadeOf(text, wordsOf(email)),
    "The password is your email, or part of it. Choose another.",
  ],
  [(text) => isMadeOf(text, ["mailvet"]), "The password is the name of this service. Choose another."],
  [
    (text, { common }) => common.has(text) || common.has(text.replace(SUFFIX, "")),
    "This is one of the most common passwords. Choose another.",
  ],
];

/** The email, its local part, its domain and the name of that. */
function wordsOf(email: string): string[] {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  return [email, email.slice(0, at), domain, domain.split(".")[0]!];
}

/** Shorter words say too little: they may be the letters of a password by chance. */
const MIN_LETTERS = 3;

/** Whether one of the words, whatever digits and signs are added, and however often it is repeated. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const letters = lettersOf(text);
  return words.some((word) => {
    const ofWord = lettersOf(word);
    if (ofWord.length < MIN_LETTERS) return text === word;
    return letters.length > 0 && letters.replaceAll(ofWord, "") === "";
  });
}

function lettersOf(text: string): string {
  return text.replace(/\P{L}/gu, "");
}

/** What people add to a common password to make it longer. */
const SUFFIX = /[^a-z]{1,4}$/;

let loaded: Promise<ReadonlySet<string>> | undefined;

function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"]),
  );
  return loaded;
}
