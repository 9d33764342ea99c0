/**
 * Format of an API key: `mv_live_`, `mv_test_`, or `mv_op_` for operator keys; 32 random characters (190 bits), 6 characters
 * of checksum.
 *
 * The checksum avoids a query for every mistyped key, and lets secret scanners recognise a key. A key chosen by the operator
 * (BOOTSTRAP_API_KEY) is any other text that fits into a header, including one with the prefix of an API
 * key.
 */
import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { KeyMode } from "@mailvet/contract";

export function generateKeyText(mode: KeyMode | "op"): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join("");
  const text = `${PREFIX}${mode}_${secret}`;
  return text + checksumOf(text);
}

/** Whether a lookup is worthwhile: a generated key with a valid checksum, or a text that an operator may have chosen. */
export function isWellFormed(text: string): boolean {
  if (text.length > MAX_LENGTH || isOperatorKeyText(text)) return false;
  return GENERATED.test(text) ? hasChecksum(text) : CHOSEN_BY_OPERATOR.test(text);
}

/** Operator keys and API keys are never mixed up: each kind has its own prefix and table. */
export function isOperatorKeyText(text: string): boolean {
  return text.startsWith(OPERATOR_PREFIX);
}

export function isWellFormedOperatorKey(text: string): boolean {
  return GENERATED_FOR_OPERATOR.test(text) && hasChecksum(text);
}

/** Stored and looked up instead of the key: SHA-256 of the whole text, in hex. */
export function hashOf(text: string): string {
  return hash("sha256", text, "hex");
}

/** The first characters: enough for the owner to recognise the key, useless to others. */
export function prefixOf(text: string): string {
  return text.slice(0, text.startsWith(PREFIX) ? SHOWN_OF_GENERATED : SHOWN_OF_CHOSEN);
}

export function modeOf(text: string): KeyMode {
  return text.startsWith(`${PREFIX}test_`) ? "test" : "live";
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "mv_";
const OPERATOR_PREFIX = `${PREFIX}op_`;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6; // 62^6 is more than the 2^32 that a CRC-32 can be
const SHOWN_OF_GENERATED = 12;
const SHOWN_OF_CHOSEN = 4;
const MAX_LENGTH = 512;

const GENERATED = /^mv_(?:live|test)_[0-9A-Za-z]{38}$/;
const GENERATED_FOR_OPERATOR = /^mv_op_[0-9A-Za-z]{38}$/;
// As a header can carry it: ASCII without spaces at either end. Shorter keys could be guessed.
const CHOSEN_BY_OPERATOR = /^[!-~][ -~]{18,}[!-~]$/;

function hasChecksum(text: string): boolean {
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
