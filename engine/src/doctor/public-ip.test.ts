import { expect, test } from "vitest";
import { createEgressGuard } from "../egress/guard.ts";
import type { ProviderProbe } from "./provider-probe.ts";
import { findPublicIp } from "./public-ip.ts";

const guard = createEgressGuard();
const direct = { sourceAddress: undefined, hasProxy: false, guard };
const seen = (provider: string, seenAs: string): ProviderProbe => ({
  provider,
  kind: "greeted",
  bannerName: `mx.${provider}`,
  seenAs,
});

test("the address that servers report counts once, however many report it", () => {
  const { address, finding } = findPublicIp([seen("a.test", "9.9.9.9"), seen("b.test", "9.9.9.9")], direct);
  expect(address).toBe("9.9.9.9");
  expect(finding.outcome).toBe("good");
});

test("several addresses are a warning that says which one is checked", () => {
  const { address, finding } = findPublicIp([seen("a.test", "9.9.9.9"), seen("b.test", "9.9.9.10")], direct);
  expect(address).toBe("9.9.9.9");
  expect(finding).toMatchObject({ outcome: "warning", advice: expect.stringContaining("Only 9.9.9.9") });
});

test("a source address that has no effect outside is a warning", () => {
  const { address, finding } = findPublicIp([seen("a.test", "9.9.9.9")], {
    ...direct,
    sourceAddress: "9.9.9.10",
  });
  expect(address).toBe("9.9.9.9");
  expect(finding).toMatchObject({ outcome: "warning", advice: expect.stringContaining("SOURCE_ADDRESS") });
});

test("a private source address behind NAT is fine", () => {
  const { address, finding } = findPublicIp([seen("a.test", "9.9.9.9")], {
    ...direct,
    sourceAddress: "10.0.0.7",
  });
  expect(address).toBe("9.9.9.9");
  expect(finding.outcome).toBe("good");
});

test("invalid text in brackets and private addresses are ignored", () => {
  const { address } = findPublicIp([seen("a.test", "10.0.0.7"), seen("b.test", "4.2.2")], direct);
  expect(address).toBeUndefined();
});
