import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { BadSettings, type Environment, readEngineSettings, settingsFrom } from "./settings.ts";

function read(env: Environment) {
  const reader = settingsFrom(env);
  const settings = readEngineSettings(reader);
  reader.reportProblems();
  return settings;
}

const folder = mkdtempSync(join(tmpdir(), "mailvet-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("every setting has a default", () => {
  expect(read({})).toMatchObject({
    dnsServers: [],
    egressAllow: [],
    smtpPort: 25,
    probeTimeoutMs: 30_000,
    connectionsPerHost: 1,
    exemptSpecialUse: [],
    aiEnhancement: true,
  });
});

test("threads leave one core free by default, and are limited", () => {
  const { threads } = read({});
  expect(threads).toBe(Math.min(16, Math.max(1, availableParallelism() - 1)));
  expect(read({ ENGINE_THREADS: "64" }).threads).toBe(64);
  for (const wrong of ["0", "65", "all"])
    expect(() => read({ ENGINE_THREADS: wrong })).toThrow(`ENGINE_THREADS=${wrong}: expected a whole number`);
});

test("an empty variable counts as unset", () => {
  expect(read({ SMTP_PORT: "", DNS_SERVERS: " ", EHLO_NAME: "" })).toMatchObject({
    smtpPort: 25,
    dnsServers: [],
  });
});

test("name servers are accepted with and without a port, IPv4 and IPv6", () => {
  const servers = ["192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]:53", "[2001:db8::1]"];
  expect(read({ DNS_SERVERS: servers.join(", ") }).dnsServers).toEqual(servers);
});

test("MAIL_FROM defaults to postmaster at EHLO_NAME", () => {
  expect(read({ EHLO_NAME: "probe.example.com" }).egress[0]?.mailFrom).toBe("postmaster@probe.example.com");
  expect(read({ EHLO_NAME: "probe.example.com", MAIL_FROM: "x@y.example" }).egress[0]?.mailFrom).toBe(
    "x@y.example",
  );
});

test("a proxy URL is split into host, port, user and password", () => {
  expect(read({ SOCKS_PROXY: "socks5://ann:p%40ss@127.0.0.1:1080" }).egress[0]?.proxy).toEqual({
    host: "127.0.0.1",
    port: 1080,
    username: "ann",
    password: "p@ss",
  });
});

test('AI enhancement is turned off by "off" only', () => {
  expect(read({ AI_ENHANCEMENT: "off" }).aiEnhancement).toBe(false);
  expect(() => read({ AI_ENHANCEMENT: "no" })).toThrow("AI_ENHANCEMENT=no: expected one of on, off");
});

test(".test is allowed once a private range is opened", () => {
  expect(read({ EGRESS_ALLOW: "127.0.0.0/8, fd00::/8" }).exemptSpecialUse).toEqual(["test"]);
});

test.for([
  ["DNS_SERVERS", "ns.example.com"],
  ["DNS_SERVERS", "192.0.2.1:0"],
  ["DNS_SERVERS", "[192.0.2.1]:53"],
  ["DNS_SERVERS", "2001:db8:0:0:0:0:0:1:53"],
  ["EGRESS_ALLOW", "127.0.0.0/33"],
  ["EGRESS_ALLOW", "10.1.0.0/8"],
  ["SMTP_PORT", "70000"],
  ["SMTP_PORT", "25x"],
  ["PROBE_TIMEOUT_SECONDS", "0"],
  ["PROBE_TIMEOUT_SECONDS", "-1"],
  ["EHLO_NAME", "bad name"],
  ["EHLO_NAME", "x\r\nQUIT"],
  ["EHLO_NAME", "a..b"],
  ["EHLO_NAME", "-a.example"],
  ["EHLO_NAME", `${"a".repeat(64)}.example`],
  ["EHLO_NAME", "my_probe.example"],
  ["EHLO_NAME", "192.0.2.1"],
  ["EHLO_NAME", "127.1"],
  ["MAIL_FROM", "nobody"],
  ["SOURCE_ADDRESS", "localhost"],
  ["SOCKS_PROXY", "http://127.0.0.1:1080"],
  ["SOCKS_PROXY", "socks5://127.0.0.1"],
  ["SOCKS_PROXY", "socks5://127.0.0.1:0"],
  ["SOCKS_PROXY", "socks5://127.0.0.1:65536"],
  ["SOCKS_PROXY", "socks5://ann:100%@127.0.0.1:1080"],
  ["LOCAL_LISTS", "/nowhere/own.txt"],
  ["LOCAL_LISTS", "/tmp"],
] as const)("%s=%j is rejected by name", ([name, value]) => {
  expect(() => read({ [name]: value })).toThrow(new RegExp(`${name}=`));
});

test.for([
  "socks5://ann:s3cret%@127.0.0.1:1080",
  "socks5://ann:s3cret/@host@127.0.0.1:1080",
  "http://ann:s3cret@127.0.0.1:1080",
  "ann:s3cret@127.0.0.1:1080",
  "socks5://s3cret@127.0.0.1",
])("the problem reported for %j shows no password", (SOCKS_PROXY) => {
  const [problem] = problemsOf({ SOCKS_PROXY });
  expect(problem).toContain("***@127.0.0.1");
  expect(problem).not.toContain("s3cret");
});

test("a password in the query of an address is not shown either", () => {
  const reader = settingsFrom({
    DATABASE_URL: "mysql://db/mailvet?user=ann&password=s3cret&sslmode=require",
  });
  reader.matching("DATABASE_URL", "a PostgreSQL address", () => false);
  expect(() => reader.reportProblems()).toThrow(/password=\*\*\*&sslmode/);
});

test("an invalid secret is not shown", () => {
  const reader = settingsFrom({ ADMIN_PASSWORD: "hunter2" });
  expect(reader.secret("ADMIN_PASSWORD", "10 characters or more", (value) => value.length >= 10)).toBe(
    undefined,
  );
  expect(() => reader.reportProblems()).toThrow(/ADMIN_PASSWORD=\*\*\*: expected 10 characters or more/);
});

test("every setting has an alias with the prefix MAILVET_", () => {
  expect(read({ MAILVET_SMTP_PORT: "2525" }).smtpPort).toBe(2525);
  expect(read({ MAILVET_SMTP_PORT: "2525", SMTP_PORT: "2525" }).smtpPort).toBe(2525);
  expect(read({ MAILVET_SMTP_PORT: "2525", SMTP_PORT: "" }).smtpPort).toBe(2525);
  expect(problemsOf({ MAILVET_SMTP_PORT: "x" })).toEqual([
    "MAILVET_SMTP_PORT=x: expected a whole number from 1 to 65535",
  ]);
  expect(problemsOf({ MAILVET_SMTP_PORT: "2525", SMTP_PORT: "25" })).toEqual([
    "SMTP_PORT and MAILVET_SMTP_PORT are both set: set one of them",
  ]);
});

test("the address that Kubernetes gives as MAILVET_PORT is not a port", () => {
  const reader = settingsFrom({ MAILVET_PORT: "tcp://10.0.0.1:8080" });
  expect(reader.text("PORT")).toBe(undefined);
});

test("a secret is read from a file, without the newline at its end", () => {
  const file = writeSecret("socks5://ann:s3cret@127.0.0.1:1080\n");
  for (const variable of ["SOCKS_PROXY_FILE", "MAILVET_SOCKS_PROXY_FILE"])
    expect(read({ [variable]: file }).egress[0]?.proxy).toMatchObject({ password: "s3cret" });
});

test("an invalid secret in a file is reported with the path, not with the content", () => {
  const file = writeSecret("http://ann:s3cret@127.0.0.1:1080");
  expect(problemsOf({ SOCKS_PROXY_FILE: file })).toEqual([
    `SOCKS_PROXY_FILE=${file}: expected socks5://[user:password@]host:port, with special characters as %40`,
  ]);
});

test("a secret that is set twice is refused, even if both are the same", () => {
  const url = "socks5://ann:s3cret@127.0.0.1:1080";
  const file = writeSecret(url);
  expect(problemsOf({ SOCKS_PROXY: url, SOCKS_PROXY_FILE: file })).toEqual([
    "SOCKS_PROXY and SOCKS_PROXY_FILE are both set: set one of them",
  ]);
  expect(problemsOf({ SOCKS_PROXY: url, MAILVET_SOCKS_PROXY: "socks5://127.0.0.1:1" })).toEqual([
    "SOCKS_PROXY and MAILVET_SOCKS_PROXY are both set: set one of them",
  ]);
});

test.for([
  ["an empty file", () => writeSecret("\n"), "the file is empty"],
  ["a missing file", () => join(folder, "missing"), "cannot be read: ENOENT"],
  ["a directory", () => folder, "cannot be read: EISDIR"],
] as const)("%s in the setting of a secret is reported", ([, path, why]) => {
  const file = path();
  expect(problemsOf({ SOCKS_PROXY_FILE: file })).toEqual([
    expect.stringContaining(`SOCKS_PROXY_FILE=${file}: ${why}`),
  ]);
});

test("what is no secret is not read from a file", () => {
  expect(read({ SMTP_PORT_FILE: writeSecret("2525") }).smtpPort).toBe(25);
});

function writeSecret(content: string): string {
  const file = join(folder, "secret");
  writeFileSync(file, content);
  return file;
}

test("EHLO_NAME may have capitals, hyphens and digits", () => {
  expect(read({ EHLO_NAME: "Probe-1.example.COM" }).egress[0]?.ehloName).toBe("Probe-1.example.COM");
});

test("every bad line of the local list is reported with its number", () => {
  const LOCAL_LISTS = join(folder, "own.txt");
  writeFileSync(LOCAL_LISTS, "allow example.com\nforbid example.net\n# fine\ndeny\n");
  expect(problemsOf({ LOCAL_LISTS })).toEqual([
    `LOCAL_LISTS=${LOCAL_LISTS}: line 2: a line must begin with "allow" or "deny": forbid example.net`,
    `LOCAL_LISTS=${LOCAL_LISTS}: line 4: the domain is missing: deny`,
  ]);
});

test("a file of another kind does not flood the report", () => {
  const LOCAL_LISTS = join(folder, "other.txt");
  writeFileSync(LOCAL_LISTS, "ann@example.com\n".repeat(5000));
  const problems = problemsOf({ LOCAL_LISTS });
  expect(problems).toHaveLength(101);
  expect(problems.at(-1)).toContain("and 4900 more lines");
});

test("a valid local list is accepted", () => {
  const LOCAL_LISTS = join(folder, "good.txt");
  writeFileSync(LOCAL_LISTS, "allow example.com\n");
  expect(read({ LOCAL_LISTS }).localListsFile).toBe(LOCAL_LISTS);
});

test("all problems are reported at once", () => {
  const bad = { DNS_SERVERS: "x", SMTP_PORT: "y", MAIL_FROM: "z" };
  expect(problemsOf(bad)).toHaveLength(3);
});

function problemsOf(env: Environment): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof BadSettings) return error.problems;
    throw error;
  }
  return [];
}
