import { createCipheriv, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { responseCipherFor } from "./encrypted-response.ts";

test("a response opens only with the key that sealed it", async () => {
  const sealed = await responseCipherFor("account-1", "key-1").seal('{"email":"ann@example.com"}');
  expect(sealed.includes("ann")).toBe(false);
  expect(await responseCipherFor("account-1", "key-1").open(sealed)).toBe('{"email":"ann@example.com"}');
  await expect(responseCipherFor("account-1", "key-2").open(sealed)).rejects.toThrow();
  await expect(responseCipherFor("account-2", "key-1").open(sealed)).rejects.toThrow();
  sealed[20]! ^= 1;
  await expect(responseCipherFor("account-1", "key-1").open(sealed)).rejects.toThrow();
});

test("sealing the same response twice gives different bytes", async () => {
  const { seal } = responseCipherFor("account-1", "key-1");
  expect((await seal("yes")).equals(await seal("yes"))).toBe(false);
});

test("a repetitive response is stored compressed", async () => {
  const cipher = responseCipherFor("account-1", "key-1");
  const results = Array.from({ length: 1_000 }, (_, n) => ({
    email: `person${n}@company.example`,
    status: "valid",
  }));
  const text = JSON.stringify(results);
  const sealed = await cipher.seal(text);
  expect(sealed.length).toBeLessThan(text.length / 5);
  expect(await cipher.open(sealed)).toBe(text);
});

test("a fingerprint differs per request and per key, so a request cannot be confirmed by guessing", () => {
  const one = responseCipherFor("account-1", "key-1");
  expect(one.fingerprint(["POST", "/a", "b"])).toEqual(one.fingerprint(["POST", "/a", "b"]));
  expect(one.fingerprint(["POST", "/a", "b"])).not.toEqual(one.fingerprint(["POST", "/ab", ""]));
  expect(one.fingerprint(["x"])).not.toEqual(responseCipherFor("account-1", "key-2").fingerprint(["x"]));
});

test("an uncompressed response of an earlier release is still readable", async () => {
  const { keyHash, open } = responseCipherFor("account-1", "key-1");
  const key = Buffer.from(hkdfSync("sha256", "key-1", keyHash, "mailvet idempotency: answer", 32));
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = '{"email":"ann@example.com"}';
  const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  expect(await open(sealed)).toBe(text);
});
