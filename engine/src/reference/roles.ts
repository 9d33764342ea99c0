/**
 * Local parts that belong to a function rather than to a person: `postmaster`, `no-reply`, `buchhaltung`.
 *
 * Told from the local part alone. Case, separators, a sub-address and trailing digits do not hide a role
 * (`No-Reply`, `info+shop`, `sales2`). Words that are also given names, initials, years and places are left
 * out: a person taken for a team is the error that costs, a missed team is not.
 */

import { DEPARTMENT_WORDS, LIST_WORDS, NO_REPLY_WORDS, PROTOCOL_WORDS } from "./role-names.ts";

export type RoleTier =
  /** An address the standards reserve for running a mail or network service (RFC 2142 and its kin). */
  | "protocol"
  /** A machine that sends and does not read. */
  | "no_reply"
  /** A team, a desk or an office. */
  | "department"
  /** A mailing list, or the handles of one. */
  | "list";

/** The tier of a role's local part (in NFC), or undefined for what may well be a person. Quoted parts come unquoted. */
export function roleOf(local: string): RoleTier | undefined {
  if (local.length > LONGEST_ROLE_PART) return undefined;
  const base = withoutSubaddress(local.toLowerCase());
  const tier = TIER_BY_WORD.get(bareWord(base));
  if (tier !== undefined) return tier;
  if (isDigit(base.charCodeAt(base.length - 1)))
    return TIER_BY_WORD.get(bareWord(base.replace(TRAILING_NUMBER, "")));
  if (base.includes("-") && LIST_HANDLE.test(base)) return "list";
  return base.includes("reply") && NO_REPLY_PART.test(base) ? "no_reply" : undefined;
}

/** No role word is near this long, and what is longer is not worth the folding. */
const LONGEST_ROLE_PART = 64;

/** `sales2`, `info-01`: one or two digits number a desk; four would be a year, and more an identity. */
const TRAILING_NUMBER = /[._-]?\d{1,2}$/;

/** Handles that list managers put before or after a list's name; the list's name must be there too. */
const LIST_HANDLE =
  /^(?:owner-.+|.+-(?:owner|request|bounces|subscribe|unsubscribe|confirm|leave|join|announce))$/;

/** `jobs-noreply`, `no-reply-invoices`: whatever else it says, it says that nobody reads it. */
const NO_REPLY_PART = /(?:^|[._-])(?:no[._-]?reply|do[._-]?not[._-]?reply)(?:[._-]|$)/;

const TIER_BY_WORD: ReadonlyMap<string, RoleTier> = new Map(
  [
    ...Object.values(DEPARTMENT_WORDS).map((words) => ["department", words] as const),
    ["list", LIST_WORDS] as const,
    ["no_reply", NO_REPLY_WORDS] as const,
    ["protocol", PROTOCOL_WORDS] as const,
  ].flatMap(([tier, words]) =>
    words
      .trim()
      .split(/\s+/)
      .map((word) => [word.normalize("NFC"), tier] as const),
  ),
);

function withoutSubaddress(local: string): string {
  const plus = local.indexOf("+");
  return plus > 0 ? local.slice(0, plus) : local;
}

function bareWord(base: string): string {
  return /[._-]/.test(base) ? base.replace(/[._-]/g, "") : base;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
