import { expect, test } from "vitest";
import { createNameServers, parseNameServer } from "./name-servers.ts";

test.each([
  ["192.0.2.1", "192.0.2.1", 53],
  ["192.0.2.1:5353", "192.0.2.1", 5353],
  [" 192.0.2.1 ", "192.0.2.1", 53],
  ["2001:db8::1", "2001:db8::1", 53],
  ["[2001:db8::1]", "2001:db8::1", 53],
  ["[::1]:5353", "::1", 5353],
])("%j is a name server", (text, address, port) => {
  expect(parseNameServer(text)).toEqual({ address, port });
});

test.each([
  "",
  "dns.test",
  "192.0.2.1:",
  "192.0.2.1:0",
  "192.0.2.1:65536",
  "192.0.2:53",
  "[192.0.2.1]:53",
  "[::1",
  "::1]:53",
])("%j is rejected by name", (text) => {
  expect(() => parseNameServer(text)).toThrow(`"${text}" is not the address of a name server`);
});

test("without configured servers there is still one to query", () => {
  expect(createNameServers().ordered().length).toBeGreaterThan(0);
  expect(createNameServers([]).ordered().length).toBeGreaterThan(0);
});

test("a server that did not respond is queried last", () => {
  const servers = createNameServers(["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
  const [first] = servers.ordered();
  if (first) servers.demote(first);
  expect(servers.ordered().map(({ address }) => address)).toEqual(["192.0.2.2", "192.0.2.3", "192.0.2.1"]);
});
