/** Secret tokens: 256 random bits as text, stored as SHA-256 only. */
import { createHash, randomBytes } from "node:crypto";

export type Secret = { text: string; hash: Buffer };

const BYTES = 32;
/** Base64 without padding. */
const TEXT_LENGTH = Math.ceil((BYTES * 4) / 3);

export function makeSecret(): Secret {
  const text = randomBytes(BYTES).toString("base64url");
  return { text, hash: sha256(text) };
}

/** The hash to look it up by; undefined for text of another length. */
export function secretHash(text: string): Buffer | undefined {
  return text.length === TEXT_LENGTH ? sha256(text) : undefined;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
