import { expect, test } from "vitest";
import { isFreeProvider } from "./free-providers.ts";
import { isPrivacyRelay, isPrivacyRelayHost } from "./relays-and-agents.ts";

test("the large privacy relays are known by their domains", () => {
  const domains =
    "privaterelay.appleid.com private.icloud.com duck.com mozmail.com slmail.me passmail.net anonaddy.me 33mail.com opayq.com";
  expect(domains.split(" ").filter((domain) => !isPrivacyRelay(domain))).toEqual([]);
});

test("a user's subdomain of a relay is the relay", () => {
  expect(isPrivacyRelay("ann.anonaddy.com")).toBe(true);
  expect(isPrivacyRelay("ann.33mail.com")).toBe(true);
  expect(isPrivacyRelay("shop.ann.mozmail.com")).toBe(true);
});

test("a name with the same ending is not", () => {
  for (const domain of [
    "notduck.com",
    "duck.com.example",
    "duck.co",
    "appleid.com",
    "firefox.com",
    "com",
    "",
  ]) {
    expect(isPrivacyRelay(domain)).toBe(false);
  }
});

test("ordinary mailbox providers are not relays", () => {
  for (const provider of ["icloud.com", "fastmail.com", "proton.me", "startmail.com"]) {
    expect(isPrivacyRelay(provider)).toBe(false);
    expect(isFreeProvider(provider)).toBe(true);
  }
  expect(isFreeProvider("duck.com")).toBe(false);
});

test("a custom domain at a relay is recognised by its mail host", () => {
  expect(isPrivacyRelayHost("mx1.simplelogin.co")).toBe(true);
  expect(isPrivacyRelayHost("smtp-inbound1.duck.com")).toBe(true);
  expect(isPrivacyRelayHost("mx01.mail.icloud.com")).toBe(false);
});
