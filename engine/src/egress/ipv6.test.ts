import { afterEach, expect, test, vi } from "vitest";
import { ipv6CheckFor } from "./ipv6.ts";

afterEach(() => {
  vi.useRealTimers();
});

const address = (text: string, { internal = false, scopeid = 0 } = {}) =>
  text.includes(":")
    ? { address: text, family: "IPv6" as const, internal, scopeid, netmask: "", mac: "", cidr: null }
    : { address: text, family: "IPv4" as const, internal, netmask: "", mac: "", cidr: null };
const lo = [address("127.0.0.1", { internal: true }), address("::1", { internal: true })];
const ipv4Only = { lo, eth0: [address("192.0.2.7"), address("fe80::1", { scopeid: 2 })] };
const both = { lo, eth0: [...ipv4Only.eth0, address("2001:db8::7")] };

test("a machine has IPv6 with an address beyond loopback and link", () => {
  expect(ipv6CheckFor([{}], () => both)()).toBe(true);
  expect(ipv6CheckFor([{}], () => ipv4Only)()).toBe(false);
});

test("where interfaces cannot be read, a machine may have IPv6", () => {
  const check = ipv6CheckFor([{}], () => {
    throw new Error("uv_interface_addresses returned Unknown system error 97");
  });
  expect(check()).toBe(true);
});

test("a source address has the family that it is of, and a proxy may have both", () => {
  const proxy = { host: "192.0.2.8", port: 1080 };
  expect(ipv6CheckFor([{ sourceAddress: "192.0.2.7" }], () => both)()).toBe(false);
  expect(ipv6CheckFor([{ sourceAddress: "192.0.2.7" }, {}], () => both)()).toBe(true);
  expect(ipv6CheckFor([{ sourceAddress: "2001:db8::7" }], () => ipv4Only)()).toBe(true);
  expect(ipv6CheckFor([{ sourceAddress: "192.0.2.7" }, { proxy }], () => ipv4Only)()).toBe(true);
});

test("interfaces are read once a minute", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let interfaces = ipv4Only;
  const hasIpv6 = ipv6CheckFor([{}], () => interfaces);
  expect(hasIpv6()).toBe(false);
  interfaces = both;
  vi.advanceTimersByTime(59_000);
  expect(hasIpv6()).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(hasIpv6()).toBe(true);
});
