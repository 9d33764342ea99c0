import { expect, test } from "vitest";
import { createEgressGuard } from "./guard.ts";

const guard = createEgressGuard();

test.each([
  ["0.0.0.0", "this network"],
  ["0.1.2.3", "this network"],
  ["10.0.0.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["169.254.169.254", "link-local"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.0.0.8", "protocol assignments"],
  ["192.0.2.1", "documentation"],
  ["192.88.99.1", "6to4 relay"],
  ["192.168.1.1", "private"],
  ["198.18.0.1", "benchmarking"],
  ["198.19.255.255", "benchmarking"],
  ["198.51.100.7", "documentation"],
  ["203.0.113.9", "documentation"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["::127.0.0.1", "IPv4-compatible"],
  ["::8.8.8.8", "IPv4-compatible"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::ffff:7f00:1", "loopback"],
  ["::ffff:10.1.2.3", "private"],
  ["::FFFF:169.254.169.254", "link-local"],
  ["::ffff:0:127.0.0.1", "not global unicast"],
  ["64:ff9b::10.0.0.1", "private"],
  ["64:ff9b::7f00:1", "loopback"],
  ["64:ff9b:1::8.8.8.8", "local NAT64"],
  ["100::1", "discard"],
  ["2001::1", "Teredo"],
  ["2001:2::1", "protocol assignments"],
  ["2001:20::1", "protocol assignments"],
  ["2001:db8::1", "documentation"],
  ["2002:7f00:1::1", "6to4"],
  ["3fff::1", "documentation"],
  ["4000::1", "not global unicast"],
  ["5f00::1", "not global unicast"],
  ["fc00::1", "private"],
  ["fd00::1", "private"],
  ["fd00:ec2::254", "private"],
  ["fe80::1", "link-local"],
  ["febf::1", "link-local"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
])("%s is refused as %s", (address, reason) => {
  expect(guard.refusal(address)).toBe(reason);
  expect(guard.permits(address)).toBe(false);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.1",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700::1111",
  "2a00:1450:400c:c00::1b",
  "3ffe::1",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
])("%s is public and permitted", (address) => {
  expect(guard.permits(address)).toBe(true);
});

test.each([
  "",
  ".",
  "localhost",
  "127.1",
  "0x7f.0.0.1",
  "010.0.0.1",
  "8.8.8.8.",
  " 8.8.8.8",
  "1",
  "2130706433",
])("%j is not an address, so it is refused", (text) => {
  expect(guard.refusal(text)).toBe("not an IP address");
});

test("an address with a zone is refused, whatever precedes the percent sign", () => {
  expect(guard.permits("fe80::1%eth0")).toBe(false);
  expect(guard.permits("2606:4700::1111%eth0")).toBe(false);
});

test("an allowed range is open, and adjacent ranges stay closed", () => {
  const lab = createEgressGuard({ allow: ["127.0.0.0/8", "fd12:3456::/32", "10.1.2.3"] });
  expect(lab.permits("127.0.0.1")).toBe(true);
  expect(lab.permits("127.9.9.9")).toBe(true);
  expect(lab.permits("::ffff:127.0.0.1")).toBe(true); // the same address in another notation
  expect(lab.permits("fd12:3456::1")).toBe(true);
  expect(lab.permits("10.1.2.3")).toBe(true);
  expect(lab.permits("10.1.2.4")).toBe(false);
  expect(lab.permits("fd12:3457::1")).toBe(false);
  expect(lab.permits("::1")).toBe(false);
  expect(lab.permits("8.8.8.8")).toBe(true);
});

test("prefixes that end inside a byte are exact", () => {
  const odd = createEgressGuard({ allow: ["10.32.0.0/11", "fd80::/9"] });
  expect(odd.permits("10.32.0.0")).toBe(true);
  expect(odd.permits("10.63.255.255")).toBe(true);
  expect(odd.permits("10.64.0.0")).toBe(false);
  expect(odd.permits("fd7f::1")).toBe(false);
  expect(odd.permits("fdff::1")).toBe(true);
});

test.each([
  "",
  "localhost",
  "127.0.0.0/33",
  "127.0.0.0/-1",
  "127.0.0.0/8/8",
  "fd00::/129",
  "127.0.0.0/",
  "1.2.3/8",
])("%j is not a range, and the error names it", (text) => {
  expect(() => createEgressGuard({ allow: [text] })).toThrow(`"${text}" is not an address range`);
});

test("a range whose address has bits beyond its prefix is rejected as a likely typo", () => {
  expect(() => createEgressGuard({ allow: ["10.1.0.0/8"] })).toThrow(/"10\.1\.0\.0\/8".*beyond its first 8/);
});
