import { expect, test } from "vitest";
import { ipNameUnder, isSameAddress, reverseNameOf } from "./reverse-dns-name.ts";

test("an IPv4 address is reversed by bytes", () => {
  expect(reverseNameOf("192.0.2.7")).toBe("7.2.0.192.in-addr.arpa");
  expect(ipNameUnder("list.example", "192.0.2.7")).toBe("7.2.0.192.list.example");
});

test("an IPv6 address is expanded and reversed by nibbles", () => {
  expect(reverseNameOf("2001:db8::567:89ab")).toBe(
    "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
  );
});

test("notations of the same address are equal", () => {
  expect(isSameAddress("2001:db8::1", "2001:0DB8:0:0:0:0:0:1")).toBe(true);
  expect(isSameAddress("192.0.2.7", "192.0.2.8")).toBe(false);
  expect(isSameAddress("nonsense", "nonsense")).toBe(false);
});
