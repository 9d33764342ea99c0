import { expect, test } from "vitest";
import { isLocalFailure } from "./connect.ts";

// As Linux reports them. In a container, IPv6 is off by default.
test.each([
  ["a source address of another machine", { syscall: "bind", address: "192.0.2.9" }, true],
  ["an IPv6 source address of another machine", { syscall: "bind", address: "2001:db8::9" }, true],
  ["no port left", { syscall: "connect", address: "192.0.2.25" }, true],
  ["no descriptor left", { code: "EMFILE", syscall: "connect", address: "192.0.2.25" }, true],
  ["a refused connection", { code: "ECONNREFUSED", syscall: "connect", address: "192.0.2.25" }, false],
  ["no IPv6 here", { syscall: "connect", address: "2001:db8::25" }, false],
])("%s: is the identity to blame?", (_, failure, isLocal) => {
  expect(isLocalFailure(Object.assign(new Error(), { code: "EADDRNOTAVAIL", ...failure }))).toBe(isLocal);
});
