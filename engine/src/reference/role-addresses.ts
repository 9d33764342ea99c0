/**
 * Role addresses: local parts that belong to a function rather than to a person: `postmaster`, `no-reply`,
 * `buchhaltung`.
 *
 * By the local part alone. Case, separators, a subaddress and trailing digits are ignored (`No-Reply`, `info+shop`,
 * `sales2`). Words that are also given names, initials, years or places are left out: calling a person a role is the
 * costly error.
 */

import { DEPARTMENT_WORDS, LIST_WORDS, NO_REPLY_WORDS, PROTOCOL_WORDS } from "./role-names.ts";

export type RoleTier =
  /** Reserved by standards for running a mail or network service (RFC 2142 and others). */
  | "protocol"
  /** An automated sender that is not read. */
  | "no_reply"
  /** A team or an office. */
  | "department"
  /** A mailing list, or one of its control addresses. */
  | "list";

/** Takes the local part in NFC, without quotes. Undefined for what may be a person. */
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

/** Longer than any role name. */
const LONGEST_ROLE_PART = 64;

/** `sales2`, `info-01`: one or two digits number a role; four would be a year, more an identifier. */
const TRAILING_NUMBER = /[._-]?\d{1,2}$/;

/** Prefixes and suffixes that list managers add to a list's name, which must be present too. */
const LIST_HANDLE =
  /^(?:owner-.+|.+-(?:owner|request|bounces|subscribe|unsubscribe|confirm|leave|join|announce))$/;

/** `jobs-noreply`, `no-reply-invoices`. */
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
