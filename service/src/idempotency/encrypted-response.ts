/**
 * Derives from an Idempotency-Key the row's key, the request's fingerprint and the cipher of the stored response.
 *
 * The Idempotency-Key itself is not stored. Without it the row is opaque: neither the addresses in the request nor the
 * response can be read from it, or confirmed by guessing.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

export type ResponseCipher = {
  /** Identifies the Idempotency-Key, in the ledger too. */
  keyHash: Buffer;
  fingerprint(parts: readonly string[]): Buffer;
  /** Compresses, then encrypts: responses repeat the same field names for every address. */
  seal(text: string): Promise<Buffer>;
  /** Throws when authentication fails. */
  open(sealed: Buffer): Promise<string>;
};

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const GZIP_FIRST_BYTE = 0x1f;

/** `scope` separates equal keys of different callers. */
export function responseCipherFor(scope: string, idempotencyKey: string): ResponseCipher {
  const keyHash = createHash("sha256").update(`${scope}\0${idempotencyKey}`).digest();
  // The purposes are part of the stored format: "request" and "answer".
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
      // Earlier releases stored uncompressed text; JSON never begins with the first byte of gzip.
      return (stored[0] === GZIP_FIRST_BYTE ? await decompress(stored) : stored).toString("utf8");
    },
  };
}
