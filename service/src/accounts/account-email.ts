/**
 * The email of an account, in one spelling per mailbox: lower case, NFC, the domain in A-labels.
 *
 * Accounts of earlier releases keep the spelling they were stored with, so a lookup tries each.
 */
import { parseAddress } from "@mailvet/engine";
import { inArray } from "drizzle-orm";
import { wrongValue } from "../base/refusal.ts";
import type { Orm } from "../db/database.ts";
import { accounts } from "./schema.ts";

export type AccountEmail = {
  /** For new accounts and for limits. */
  canonical: string;
  /** What an account may be stored with, the typed spelling first. */
  spellings: readonly string[];
};

export function accountEmail(typed: string): AccountEmail {
  const text = lowerCase(typed);
  const parsed = parseAddress(text);
  if (!parsed.ok) return { canonical: text, spellings: [text] };
  const { normalized, local, unicodeDomain } = parsed.address;
  return { canonical: normalized, spellings: [...new Set([text, normalized, `${local}@${unicodeDomain}`])] };
}

/** For sign-up: refuses malformed addresses, and those that look like another one, with the reason. */
export function newAccountEmail(typed: string): AccountEmail {
  const text = lowerCase(typed);
  const parsed = parseAddress(text);
  if (!parsed.ok) throw wrongValue("/email", parsed.error.message);
  const { local, domain, unicodeDomain } = parsed.address;
  const typedDomain = text.slice(text.lastIndexOf("@") + 1);
  const isPlain = local.normalize("NFKC") === local && !/\p{Default_Ignorable_Code_Point}/u.test(local);
  if (!isPlain || (typedDomain !== domain && typedDomain !== unicodeDomain))
    throw wrongValue("/email", "The email has full-width, invisible or other special forms of characters.");
  const labels = unicodeDomain.split(".");
  const isAsciiTop = /^[\x21-\x7e]*$/.test(labels.at(-1)!);
  if ([local, ...labels].some((part) => mixesScripts(part) || (isAsciiTop && LOOKS_LATIN.test(part))))
    throw wrongValue("/email", "The email has letters of other alphabets that look like different ones.");
  return accountEmail(typed);
}

export async function findByEmail(orm: Pick<Orm, "select">, { spellings }: AccountEmail) {
  if (spellings.some((one) => one.includes("\0"))) return undefined; // PostgreSQL text cannot hold a NUL, so no account has it
  const found = await orm
    .select()
    .from(accounts)
    .where(inArray(accounts.email, [...spellings]));
  return found.sort((one, other) => spellings.indexOf(one.email) - spellings.indexOf(other.email))[0];
}

function lowerCase(typed: string): string {
  return typed.trim().toLowerCase().normalize("NFC");
}

/** The scripts of living languages (UAX 31, table 5), and the combinations that UTS 39 calls highly restrictive. */
const SCRIPTS = [
  ..."Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao".split(
    " ",
  ),
  ..."Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan".split(" "),
  "Latin Han Hiragana Katakana",
  "Latin Han Bopomofo",
  "Latin Han Hangul",
].map((names) => {
  const classes = names.split(" ").map((name) => `\\p{Script=${name}}`);
  return new RegExp(`^[\\p{Script=Common}\\p{Script=Inherited}${classes.join("")}]*$`, "u");
});

function mixesScripts(part: string): boolean {
  return !SCRIPTS.some((script) => script.test(part));
}

/** Words of Cyrillic or of Greek letters that all look like Latin ones. */
const LOOKS_LATIN = /^[\d_.+-]*([аԁеһіјӏорԛѕԝхусѵ]|[αικνορυ])[аԁеһіјӏорԛѕԝхусѵαικνορυ\d_.+-]*$/u;
