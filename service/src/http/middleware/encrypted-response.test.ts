import { createCipheriv, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { responseCipherFor } from "./encrypted-response.ts";

test("an answer is read with the key that sealed it, and with no other", async () => {
  const sealed = await responseCipherFor("account-1", "key-1").seal('{"email":"ann@example.com"}');
  expect(sealed.includes("ann")).toBe(false);
  expect(await responseCipherFor("account-1", "key-1").open(sealed)).toBe('{"email":"ann@example.com"}');
  await expect(responseCipherFor("account-1", "key-2").open(sealed)).rejects.toThrow();
  await expect(responseCipherFor("account-2", "key-1").open(sealed)).rejects.toThrow();
  sealed[20]! ^= 1;
  await expect(responseCipherFor("account-1", "key-1").open(sealed)).rejects.toThrow();
});

test("the same answer sealed twice looks different", async () => {
  const { seal } = responseCipherFor("account-1", "key-1");
  expect((await seal("yes")).equals(await seal("yes"))).toBe(false);
});

test("a long answer that says much the same of every address takes a fraction of its room", async () => {
  const seal = responseCipherFor("account-1", "key-1");
  const said = Array.from({ length: 1_000 }, (_, n) => ({
    email: `person${n}@house.example`,
    status: "valid",
  }));
  const text = JSON.stringify(said);
  const sealed = await seal.seal(text);
  expect(sealed.length).toBeLessThan(text.length / 5);
  expect(await seal.open(sealed)).toBe(text);
});

test("a fingerprint tells requests apart and depends on the key, so that nobody can guess a request from it", () => {
  const one = responseCipherFor("account-1", "key-1");
  expect(one.fingerprint(["POST", "/a", "b"])).toEqual(one.fingerprint(["POST", "/a", "b"]));
  expect(one.fingerprint(["POST", "/a", "b"])).not.toEqual(one.fingerprint(["POST", "/ab", ""]));
  expect(one.fingerprint(["x"])).not.toEqual(responseCipherFor("account-1", "key-2").fingerprint(["x"]));
});

test("an answer stored by a release that did not compress is read as it was written", async () => {
  const { keyHash, open } = responseCipherFor("account-1", "key-1");
  const key = Buffer.from(hkdfSync("sha256", "key-1", keyHash, "mailvet idempotency: answer", 32));
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = '{"email":"ann@example.com"}';
  const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  expect(await open(sealed)).toBe(text);
});
