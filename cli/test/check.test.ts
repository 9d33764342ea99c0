import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ValidationResult } from "@mailvet/contract";
import { acceptsEveryone, mailDomain, openLab, servfail } from "@mailvet/lab";
import { Compile } from "typebox/compile";
import { afterAll, expect, test } from "vitest";
import { jsonLines, mailvet } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-check-"));
afterAll(() => rmSync(folder, { recursive: true }));

function listOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const contract = Compile(ValidationResult);

test("every input gets one result in the contract's shape, in input order", async () => {
  const emails = [
    "ann@gmail.con",
    "not an address",
    "",
    "ann\r\nlee@shop.example",
    "\ud800@x.com",
    "用户@bücher.de",
    "ann@gmail.con",
  ];
  const list = listOf(
    "list.jsonl",
    emails.map((email, i) => JSON.stringify(i % 2 ? { email } : email)).join("\n"),
  );

  const { code, stdout, stderr } = await mailvet(["check", "--level", "syntax", "--json", "--file", list]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const results = jsonLines<ValidationResult>(stdout);
  expect(results.map((result) => result.email)).toEqual(emails);
  for (const result of results) expect([...contract.Errors(result)]).toEqual([]);
  expect(results.map((result) => result.details.syntax_valid)).toEqual([
    true,
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
  expect(results[0]).toMatchObject({ suggestion: "ann@gmail.com", metadata: { plan_tier: "local" } });
});

test("a plain list may have Windows line ends, a byte order mark, blank lines and no last line end", async () => {
  const list = listOf("plain.txt", "\ufeffann@shop.io\r\n\r\nbob@shop.io\r\n  \r\ncy@shop.io");
  const { stdout } = await mailvet(["check", "--level", "syntax", "--json", "--file", list]);
  expect(jsonLines<ValidationResult>(stdout).map(({ email }) => email)).toEqual([
    "ann@shop.io",
    "bob@shop.io",
    "cy@shop.io",
  ]);
});

test("a long list gets a result for every row", async () => {
  const emails = Array.from({ length: 50_000 }, (_, i) => `ann${i}@shop${i % 700}.io`);
  const list = listOf("long.txt", `${emails.join("\n")}\n`);
  const { code, stdout, stderr } = await mailvet(["check", "--level", "syntax", "--json", "--file", list]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(jsonLines<ValidationResult>(stdout).map(({ email }) => email)).toEqual(emails);
});

test("a JSON line without an address is checked as it is, so that every row gets a result", async () => {
  const list = listOf("odd.jsonl", '{"email": 5}\nann@shop.io\n[]\n"bob@shop.io"\n');
  const { stdout } = await mailvet(["check", "--level", "syntax", "--json", "--file", list]);
  expect(jsonLines<ValidationResult>(stdout).map(({ email }) => email)).toEqual([
    '{"email": 5}',
    "ann@shop.io",
    "[]",
    "bob@shop.io",
  ]);
});

test.for(["LIST.JSONL", "people-results.ndjson"])("%s has JSON lines", async (name) => {
  const list = listOf(name, '{"row":1,"email":"ann@shop.io"}\n');
  const { stdout } = await mailvet(["check", "--level", "syntax", "--json", "--file", list]);
  expect(jsonLines<ValidationResult>(stdout).map(({ email }) => email)).toEqual(["ann@shop.io"]);
});

test("addresses on the command line come first, then those from standard input", async () => {
  const { stdout } = await mailvet(["check", "--level", "syntax", "--json", "a@shop.io", "--file", "-"], {
    input: "b@shop.io\nc@shop.io\n",
  });
  expect(jsonLines<ValidationResult>(stdout).map(({ email }) => email)).toEqual([
    "a@shop.io",
    "b@shop.io",
    "c@shop.io",
  ]);
});

test("one address without --json is printed as a card", async () => {
  const { code, stdout } = await mailvet(["check", "--level", "syntax", "ann lee@example.com"]);
  expect(code).toBe(0);
  expect(stdout).toContain("✘ invalid/syntax_error");
  expect(stdout).toContain("The mailbox name contains white space");
});

test("several addresses without --json are printed as lines, with a summary on standard error", async () => {
  const { stdout, stderr } = await mailvet([
    "check",
    "--level",
    "syntax",
    "ann@example.com",
    "bob@gmail.con",
  ]);
  expect(stdout.trimEnd().split("\n")).toHaveLength(2);
  expect(stdout).toContain("→ bob@gmail.com");
  expect(stderr).toMatch(/^2 checked in [\d.]+ s: 0 valid, 1 invalid, 0 risky, 1 unknown\n$/);
});

test("control characters in input are not sent to the terminal", async () => {
  const { stdout } = await mailvet(["check", "--level", "syntax", "\u001b[2Jann@example.com"]);
  expect(stdout).not.toContain("\u001b");
});

test("level dns uses the configured name servers", async () => {
  await using lab = await openLab({
    "shop.test": mailDomain({ users: ["ann"], records: { TXT: ["v=spf1 -all"] } }),
    "_dmarc.shop.test": { TXT: ["v=DMARC1; p=none"] },
    "nomail.test": { MX: [{ preference: 0, exchange: "." }] },
    "broken.test": { answers: servfail },
  });
  const env = { DNS_SERVERS: lab.nameServer, EGRESS_ALLOW: "127.0.0.0/8" };
  const emails = ["ann@shop.test", "ann@nomail.test", "ann@gone.test", "ann@broken.test"];

  const { stdout } = await mailvet(["check", "--level", "dns", "--json", ...emails], { env });

  const results = jsonLines<ValidationResult>(stdout);
  expect(results.map(({ sub_status }) => sub_status)).toEqual([
    "smtp_skipped",
    "null_mx",
    "domain_not_found",
    "dns_error",
  ]);
  expect(results[0]!.details).toMatchObject({
    dns_valid: true,
    has_spf: true,
    has_dmarc: true,
    mx_host: "mx.shop.test",
  });
});

test("by default mail servers are probed, and no mail is sent", async () => {
  await using lab = await openLab({
    "shop.test": mailDomain({ users: ["ann"] }),
    "open.test": mailDomain({ temper: acceptsEveryone }),
  });
  const env = {
    ...lab.env,
    EHLO_NAME: "probe.test",
    MAIL_FROM: "probe@probe.test",
  };

  const { stdout } = await mailvet(["check", "--json", "ann@shop.test", "bob@shop.test", "cy@open.test"], {
    env,
  });

  const results = jsonLines<ValidationResult>(stdout);
  expect(results.map(({ status, sub_status }) => [status, sub_status])).toEqual([
    ["valid", ""],
    ["invalid", "mailbox_not_found"],
    ["risky", "catch_all"],
  ]);
  expect(results[1]!.details).toMatchObject({
    smtp_code: 550,
    smtp_enhanced_code: "5.1.1",
    mx_host: "mx.shop.test",
  });
  for (const host of ["mx.shop.test", "mx.open.test"]) {
    const verbs = lab.received(host).map((line) => line.split(" ", 1)[0]);
    expect(verbs).not.toContain("DATA");
    expect(verbs).toContain("QUIT");
  }
});

test.for([
  [["check"], "--file - reads standard input"],
  [["check", "--level", "psychic", "ann@example.com"], "Allowed choices are syntax, dns, smtp"],
  [["check", "--file", "/nowhere/list.txt"], "cannot read the list"],
  [["nonsense"], "unknown command"],
  [["check", "--nonsense", "ann@example.com"], "unknown option"],
] as const)("invalid usage ends with exit code 2 and a message: %j", async ([args, why]) => {
  const { code, stderr } = await mailvet(args);
  expect(code).toBe(2);
  expect(stderr).toContain(why);
});

test("all invalid settings are reported at once", async () => {
  const env = {
    DNS_SERVERS: "ns.example.com",
    EGRESS_ALLOW: "127.0.0.1/99",
    SMTP_PORT: "0",
    PROBE_TIMEOUT_SECONDS: "soon",
  };
  const { code, stderr } = await mailvet(["check", "ann@example.com"], { env });
  expect(code).toBe(2);
  for (const name of Object.keys(env)) expect(stderr).toContain(`${name}=`);
});

test("the help lists commands and settings", async () => {
  const { code, stdout } = await mailvet(["--help"]);
  expect(code).toBe(0);
  for (const name of ["check", "lists", "DNS_SERVERS", "EGRESS_ALLOW"]) expect(stdout).toContain(name);
});
