/**
 * What an Idempotency-Key is turned into: a name for the row, a fingerprint of the request, and a seal for the answer.
 *
 * All three come from the caller's key, which we do not keep. Without it the row is noise: neither the addresses that
 * were asked for nor the answer can be read from it, or guessed and compared.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

export type ResponseCipher = {
  /** Names the caller's key, also to the ledger. */
  keyHash: Buffer;
  fingerprint(parts: readonly string[]): Buffer;
  /** Compressed, for there may be many and most of an answer is the same words again. */
  seal(text: string): Promise<Buffer>;
  /** Throws when the seal is broken. */
  open(sealed: Buffer): Promise<string>;
};

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const GZIP_FIRST_BYTE = 0x1f;

/** `scope` keeps the same key of different callers apart. */
export function responseCipherFor(scope: string, idempotencyKey: string): ResponseCipher {
  const keyHash = createHash("sha256").update(`${scope}\0${idempotencyKey}`).digest();
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", idempotencyKey, keyHash, `mailvet idempotency: ${purpose}`, KEY_BYTES));
  return {
    keyHash,
    fingerprint(parts) {
      const fingerprint = createHmac("sha256", derive("request"));
      for (const part of parts) fingerprint.update(`${Buffer.byteLength(part)}:`).update(part);
      return fingerprint.digest();
    },
    async seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, derive("answer"), nonce);
      const body = cipher.update(await compress(text));
      return Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]);
    },
    async open(sealed) {
      const decipher = createDecipheriv(CIPHER, derive("answer"), sealed.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const body = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      const stored = Buffer.concat([body, decipher.final()]);
      // Earlier releases stored the text as it was; JSON never begins with gzip's first byte.
      return (stored[0] === GZIP_FIRST_BYTE ? await decompress(stored) : stored).toString("utf8");
    },
  };
}
