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

test("what servers see counts, once, however many see it", () => {
  const { address, finding } = findPublicIp([seen("a.test", "9.9.9.9"), seen("b.test", "9.9.9.9")], direct);
  expect(address).toBe("9.9.9.9");
  expect(finding.outcome).toBe("good");
});

test("several addresses are a warning that tells which one is examined", () => {
  const { address, finding } = findPublicIp([seen("a.test", "9.9.9.9"), seen("b.test", "9.9.9.10")], direct);
  expect(address).toBe("9.9.9.9");
  expect(finding).toMatchObject({ outcome: "warning", advice: expect.stringContaining("Only 9.9.9.9") });
});

test("a source address that does not take effect outside is a warning", () => {
  const { address, finding } = findPublicIp([seen("a.test", "9.9.9.9")], {
    ...direct,
    sourceAddress: "9.9.9.10",
  });
  expect(address).toBe("9.9.9.9");
  expect(finding).toMatchObject({ outcome: "warning", advice: expect.stringContaining("SOURCE_ADDRESS") });
});

test("a private source address behind an address translator is as it should be", () => {
  const { address, finding } = findPublicIp([seen("a.test", "9.9.9.9")], {
    ...direct,
    sourceAddress: "10.0.0.7",
  });
  expect(address).toBe("9.9.9.9");
  expect(finding.outcome).toBe("good");
});

test("nonsense in brackets and private addresses are nobody's word about us", () => {
  const { address } = findPublicIp([seen("a.test", "10.0.0.7"), seen("b.test", "4.2.2")], direct);
  expect(address).toBeUndefined();
});
