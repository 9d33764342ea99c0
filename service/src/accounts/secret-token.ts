/** Secrets that only their holder has: 256 random bits as text, of which we keep the SHA-256 and nothing else. */
import { createHash, randomBytes } from "node:crypto";

export type Secret = { text: string; hash: Buffer };

const BYTES = 32;
/** Base64 without padding. */
const TEXT_LENGTH = Math.ceil((BYTES * 4) / 3);

export function makeSecret(): Secret {
  const text = randomBytes(BYTES).toString("base64url");
  return { text, hash: sha256(text) };
}

/** What to look it up by; undefined for text that cannot be one of ours. */
export function secretHash(text: string): Buffer | undefined {
  return text.length === TEXT_LENGTH ? sha256(text) : undefined;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
