import { expect, test } from "vitest";
import { relyingParty } from "./relying-party.ts";

test.each([
  ["https://mailvet.example.com", "other.example", "mailvet.example.com", "https://mailvet.example.com"],
  [
    "https://mailvet.example.com:8443/app",
    undefined,
    "mailvet.example.com",
    "https://mailvet.example.com:8443",
  ],
  ["http://localhost:8080", undefined, "localhost", "http://localhost:8080"],
  [undefined, "localhost:8080", "localhost", "http://localhost:8080"],
])("PUBLIC_URL %s and Host %s: passkeys of %s, on pages of %s", (publicUrl, host, rpId, origin) => {
  expect(relyingParty(publicUrl, host)).toEqual({ rpId, origin });
});

test.each([
  [undefined, "127.0.0.1:8080"],
  [undefined, "[::1]:8080"],
  [undefined, "attacker.example"],
  [undefined, undefined],
  [undefined, "localhost:8080:1"],
  ["http://mailvet.example.com", "localhost:8080"],
  ["https://192.0.2.1", "localhost:8080"],
  ["https://[2001:db8::1]", undefined],
])("PUBLIC_URL %s and Host %s: no passkeys", (publicUrl, host) => {
  expect(() => relyingParty(publicUrl, host)).toThrow(
    expect.objectContaining({ code: "passkeys_unavailable" }),
  );
});
