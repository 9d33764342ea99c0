import { expect, test } from "vitest";
import { BadSettings, type Environment, readEngineSettings, settingsFrom } from "./settings.ts";

function read(env: Environment) {
  const reader = settingsFrom(env);
  const settings = readEngineSettings(reader);
  reader.reportProblems();
  return settings;
}

test("without settings there are sound defaults", () => {
  expect(read({})).toMatchObject({
    dnsServers: [],
    egressAllow: [],
    smtpPort: 25,
    probeTimeoutMs: 30_000,
    connectionsPerHost: 1,
    exemptSpecialUse: [],
  });
});

test("an empty variable counts as unset", () => {
  expect(read({ SMTP_PORT: "", DNS_SERVERS: " ", EHLO_NAME: "" })).toMatchObject({
    smtpPort: 25,
    dnsServers: [],
  });
});

test("servers come with and without a port, in both families", () => {
  const servers = ["192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]:53"];
  expect(read({ DNS_SERVERS: servers.join(", ") }).dnsServers).toEqual(servers);
});

test("the sender follows the name we greet with, unless it is said", () => {
  expect(read({ EHLO_NAME: "probe.example.com" }).egress.mailFrom).toBe("postmaster@probe.example.com");
  expect(read({ EHLO_NAME: "probe.example.com", MAIL_FROM: "x@y.example" }).egress.mailFrom).toBe(
    "x@y.example",
  );
});

test("a proxy's name, port, user and password are taken apart", () => {
  expect(read({ SOCKS_PROXY: "socks5://ann:p%40ss@127.0.0.1:1080" }).egress.proxy).toEqual({
    host: "127.0.0.1",
    port: 1080,
    username: "ann",
    password: "p@ss",
  });
});

test("whoever opens a private range may use .test", () => {
  expect(read({ EGRESS_ALLOW: "127.0.0.0/8, fd00::/8" }).exemptSpecialUse).toEqual(["test"]);
});

test.for([
  ["DNS_SERVERS", "ns.example.com"],
  ["DNS_SERVERS", "192.0.2.1:0"],
  ["EGRESS_ALLOW", "127.0.0.0/33"],
  ["EGRESS_ALLOW", "10.1.0.0/8"],
  ["SMTP_PORT", "70000"],
  ["SMTP_PORT", "25x"],
  ["PROBE_TIMEOUT_SECONDS", "0"],
  ["PROBE_TIMEOUT_SECONDS", "-1"],
  ["EHLO_NAME", "bad name"],
  ["EHLO_NAME", "x\r\nQUIT"],
  ["MAIL_FROM", "nobody"],
  ["SOURCE_ADDRESS", "localhost"],
  ["SOCKS_PROXY", "http://127.0.0.1:1080"],
  ["SOCKS_PROXY", "socks5://127.0.0.1"],
] as const)("%s=%j is refused by name", ([name, value]) => {
  expect(() => read({ [name]: value })).toThrow(new RegExp(`${name}=`));
});

test("all problems are reported at once", () => {
  const bad = { DNS_SERVERS: "x", SMTP_PORT: "y", MAIL_FROM: "z" };
  try {
    read(bad);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(BadSettings);
    expect((error as BadSettings).problems).toHaveLength(3);
  }
});
