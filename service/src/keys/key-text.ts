/**
 * What an API key looks like: `mv_live_` or `mv_test_`, 32 random characters (190 bits), 6 characters of checksum.
 *
 * The checksum spares the database a question about every mistyped key, and lets a secret scanner tell a key of ours
 * from noise. A key that an operator chose (BOOTSTRAP_API_KEY) is any other text that fits into a header,
 * also one that begins like ours.
 */
import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { KeyMode } from "@mailvet/contract";

export function makeKeyText(mode: KeyMode): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join("");
  const text = `${OURS}${mode}_${secret}`;
  return text + checksumOf(text);
}

/** Whether it is worth asking for: one of ours without a slip of the finger, or a text an operator may have chosen. */
export function isWellFormed(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  if (!MADE_HERE.test(text)) return CHOSEN_BY_OPERATOR.test(text);
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** What is stored and looked up instead of the key: SHA-256 of the whole text, in hex. */
export function hashOf(text: string): string {
  return hash("sha256", text, "hex");
}

/** The first characters, enough for its owner to recognise it by and useless to anybody else. */
export function prefixOf(text: string): string {
  return text.slice(0, text.startsWith(OURS) ? SHOWN_OF_OURS : SHOWN_OF_CHOSEN);
}

export function modeOf(text: string): KeyMode {
  return text.startsWith(`${OURS}test_`) ? "test" : "live";
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const OURS = "mv_";
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6; // 62^6 is more than the 2^32 that a CRC-32 can be
const SHOWN_OF_OURS = 12;
const SHOWN_OF_CHOSEN = 4;
const MAX_LENGTH = 512;

const MADE_HERE = /^mv_(?:live|test)_[0-9A-Za-z]{38}$/;
// As a header can carry it: ASCII, and no space at either end. Shorter ones could be guessed.
const CHOSEN_BY_OPERATOR = /^[!-~][ -~]{18,}[!-~]$/;

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
