import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readEngineSettings, settingsFrom } from "../settings.ts";
import { limiterKeyOf, partsOfLimiterKey } from "./identity.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-egress-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "egress.json");

/** The settings with this file. */
function read(content: unknown, env: Record<string, string> = {}) {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  const reader = settingsFrom({ EGRESS_FILE: path, ...env });
  const settings = readEngineSettings(reader);
  reader.reportProblems();
  return settings;
}

const FIRST = { name: "one", ehlo_name: "one.example.com", source_address: "192.0.2.1" };
const SECOND = { name: "two", ehlo_name: "two.example.com", source_address: "192.0.2.2" };

test("identities are read with their defaults", () => {
  const proxied = {
    name: "three",
    ehlo_name: "three.example.com",
    mail_from: "probe@example.com",
    socks_proxy: "socks5://ann:p%40ss@proxy.example.com:1080",
    providers: ["google", "other"],
    share: 0.5,
    sessions_per_day: 200,
    owner: "worker-1",
  };
  const { egress, egressOfDeployment } = read({ identities: [FIRST, proxied] });
  expect(egressOfDeployment).toEqual([
    {
      name: "one",
      ehloName: "one.example.com",
      mailFrom: "postmaster@one.example.com",
      sourceAddress: "192.0.2.1",
      share: 1,
      isCounted: true,
    },
    {
      name: "three",
      ehloName: "three.example.com",
      mailFrom: "probe@example.com",
      proxy: { host: "proxy.example.com", port: 1080, username: "ann", password: "p@ss" },
      providers: ["google", "other"],
      share: 0.5,
      sessionsPerDay: 200,
      owner: "worker-1",
      isCounted: true,
    },
  ]);
  expect(egress.map(({ name }) => name)).toEqual(["one"]); // the other has another owner
});

test("a process uses the identities without an owner, and those that name it", () => {
  const content = { identities: [FIRST, { ...SECOND, owner: "worker-2" }] };
  const names = (env: Record<string, string>) => read(content, env).egress.map(({ name }) => name);
  expect(names({ PROCESS_NAME: "worker-2" })).toEqual(["one", "two"]);
  expect(names({ PROCESS_NAME: "worker-1" })).toEqual(["one"]);
  expect(read({ identities: [{ ...FIRST, owner: hostname() }] }).egress).toHaveLength(1); // the default
});

test("without EGRESS_FILE there is one identity, whose limiter keys are the plain ones", () => {
  const { egress, egressOfDeployment } = readEngineSettings(settingsFrom({ SOURCE_ADDRESS: "192.0.2.1" }));
  expect(egress).toMatchObject([{ name: "default", sourceAddress: "192.0.2.1", share: 1 }]);
  expect(egressOfDeployment).toEqual(egress);
  expect(limiterKeyOf("mx.example.com", "default")).toBe("mx.example.com");
  const key = limiterKeyOf("provider google", "one");
  expect(key).toBe("provider google from one");
  expect(partsOfLimiterKey(key)).toEqual({ key: "provider google", identity: "one" });
  expect(partsOfLimiterKey("mx.example.com")).toEqual({ key: "mx.example.com", identity: "default" });
});

test.each([
  ["{", /is not JSON/],
  [[], /expected {"identities": \[...\]} and nothing else/],
  [{ identities: [FIRST], version: 1 }, /and nothing else/],
  [{ identities: [] }, /identities: expected 1 to 1000/],
  [{ identities: ["one"] }, /identity number 1: expected an object/],
  [
    { identities: [{ ...FIRST, adress: "x" }] },
    /identity "one": adress: no such field; there are name, ehlo_name/,
  ],
  [{ identities: [{ ...FIRST, name: "No. 1" }] }, /name="No. 1": expected 1 to 63 lower-case letters/],
  [{ identities: [{ name: "one" }] }, /identity "one": ehlo_name is missing: expected a host name/],
  [{ identities: [{ ...FIRST, ehlo_name: "no_name" }] }, /ehlo_name="no_name": expected a host name/],
  [{ identities: [{ ...FIRST, mail_from: "nobody" }] }, /mail_from="nobody": expected an address/],
  [{ identities: [{ ...FIRST, source_address: "eth0" }] }, /source_address="eth0": expected an IP address/],
  [{ identities: [{ ...FIRST, socks_proxy: "socks5://a:1" }] }, /source_address or socks_proxy, not both/],
  [
    { identities: [{ ...FIRST, providers: ["gogle"] }] },
    /providers=\["gogle"\]: expected a list of mail providers/,
  ],
  [{ identities: [{ ...FIRST, providers: [] }] }, /expected a list of mail providers/],
  [{ identities: [{ ...FIRST, share: 0 }] }, /share=0: expected a number above 0/],
  [{ identities: [{ ...FIRST, sessions_per_day: 1.5 }] }, /sessions_per_day=1.5: expected a whole number/],
  [{ identities: [{ ...FIRST, owner: "a b" }] }, /owner="a b": expected the PROCESS_NAME/],
  [{ identities: [FIRST, { ...SECOND, name: "one" }] }, /identity "one": there are two of this name/],
  [
    { identities: [FIRST, { ...SECOND, source_address: "192.0.2.1" }] },
    /connects from 192.0.2.1, as "one" does/,
  ],
  [{ identities: [{ ...FIRST, owner: "elsewhere" }] }, /every identity has another owner/],
  [{ identities: [{ ...FIRST, providers: ["google"] }] }, /expected an identity without "providers"/],
])("%j is refused", (content, message) => {
  expect(() => read(content)).toThrow(message);
});

test("every problem is reported at once, with the file, and never a password", () => {
  const bad = {
    ...SECOND,
    source_address: undefined,
    socks_proxy: "socks5://ann:secret@nowhere",
    share: "all",
  };
  let text = "";
  try {
    read({ identities: [{ ...FIRST, colour: 1 }, bad] });
  } catch (error) {
    text = String(error);
  }
  expect(text).toContain(`EGRESS_FILE=${path}: identity "one": colour`);
  expect(text).toContain('identity "two": socks_proxy=***: expected socks5://');
  expect(text).toContain('identity "two": share="all"');
  expect(text).not.toContain("secret");
});

test("settings of a single identity are refused beside the file, and a missing file is reported", () => {
  expect(() => read({ identities: [FIRST] }, { EHLO_NAME: "probe.example.com" })).toThrow(
    "EHLO_NAME=probe.example.com: expected it to be in EGRESS_FILE instead",
  );
  const reader = settingsFrom({ EGRESS_FILE: join(folder, "missing.json") });
  readEngineSettings(reader);
  expect(() => reader.reportProblems()).toThrow("cannot be read");
});
