/** mailvet check with long, slow and odd lists: no row is lost, output is not delayed, memory is bounded. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ValidationResult } from "@mailvet/contract";
import { afterAll, expect, test } from "vitest";
import { jsonLines, mailvet, startMailvet } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-streams-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SYNTAX = ["check", "--level", "syntax", "--json"];

const emailsIn = (stdout: string) => jsonLines<ValidationResult>(stdout).map(({ email }) => email);

test("a list can be a named pipe", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const writer = spawn("sh", ["-c", `printf 'a@shop.io\\nb@shop.io\\n' > "$0"`, pipe]);
  const child = startMailvet([...SYNTAX, "--file", pipe]);
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  await once(child, "close");
  writer.kill();
  expect(emailsIn(stdout)).toEqual(["a@shop.io", "b@shop.io"]);
});

test("lines of a megabyte are cut and get a result each, in bounded memory", async () => {
  const list = join(folder, "long-lines.txt");
  writeFileSync(list, `${"x".repeat(1024 * 1024)}\n`.repeat(200));
  const env = { NODE_OPTIONS: "--max-old-space-size=80" };
  const { code, stdout } = await mailvet(["check", "--level", "dns", "--json", "--file", list], { env });
  expect(code).toBe(0);
  const emails = emailsIn(stdout);
  expect(emails).toHaveLength(200);
  expect(new Set(emails)).toEqual(new Set(["x".repeat(8192)]));
});

test("an address in a JSON line is cut as well, and other fields are ignored", async () => {
  const list = join(folder, "wide.jsonl");
  const rows = [{ email: "y".repeat(20_000) }, { note: "n".repeat(20_000), email: "ann@shop.io" }];
  writeFileSync(list, rows.map((row) => JSON.stringify(row)).join("\n"));
  const { stdout } = await mailvet([...SYNTAX, "--file", list]);
  expect(emailsIn(stdout)).toEqual(["y".repeat(8192), "ann@shop.io"]);
});

test("results are printed while the list is still open, and Ctrl-C loses none", async () => {
  const child = startMailvet([...SYNTAX, "--file", "-"]);
  child.stdin.write("a@shop.io\nb@shop.io\n");
  const [seen] = await once(child.stdout, "data");
  expect(emailsIn(String(seen))).toEqual(["a@shop.io", "b@shop.io"]);

  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect(code).toBe(130);
});

test("a list may be in UTF-16 or a legacy code page, from a file and from standard input", async () => {
  const expected = ["jörg@shop.io", "ann@bücher.de"];
  const text = `${expected.join("\r\n")}\r\n`;
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
  const encodings = {
    utf16le: utf16,
    utf16be: Buffer.from(utf16).swap16(),
    "utf16 without a byte order mark": Buffer.from(text, "utf16le"),
    latin1: Buffer.from(text, "latin1"),
    "latin1 after 100 KB of ASCII": Buffer.from("a@shop.io\n".repeat(10_000) + text, "latin1"),
  };
  for (const [name, bytes] of Object.entries(encodings)) {
    const list = join(folder, `${name}.txt`);
    writeFileSync(list, bytes);
    const [fromFile, fromInput] = await Promise.all([
      mailvet([...SYNTAX, "--file", list]),
      mailvet([...SYNTAX, "-"], { input: bytes }),
    ]);
    expect(emailsIn(fromFile.stdout).slice(-2), name).toEqual(expected);
    expect(emailsIn(fromInput.stdout), name).toEqual(emailsIn(fromFile.stdout));
  }
});

test("any line break ends an address, also a CR alone and one between two writes", async () => {
  const many = Array.from({ length: 2_000 }, (_, n) => `u${n}@shop.io`);
  const { stdout } = await mailvet([...SYNTAX, "-"], { input: many.join("\r") });
  expect(emailsIn(stdout)).toEqual(many);

  const child = startMailvet([...SYNTAX, "--file", "-"]);
  child.stdin.write("\na@shop.io\r");
  const [seen] = await once(child.stdout, "data");
  expect(emailsIn(String(seen))).toEqual(["a@shop.io"]);
  child.stdin.end("\nb@shop.io\r\nc@shop.io\r\r\nd@shop.io");
  let rest = "";
  child.stdout.on("data", (chunk) => {
    rest += chunk;
  });
  await once(child, "close");
  expect(emailsIn(rest)).toEqual(["b@shop.io", "c@shop.io", "d@shop.io"]);
});

test("a slow list is answered line by line in every encoding", async () => {
  const latin1 = (text: string) => Buffer.from(text, "latin1");
  const utf16 = (text: string) => Buffer.from(text, "utf16le");
  for (const encode of [latin1, utf16, Buffer.from]) {
    const child = startMailvet([...SYNTAX, "--file", "-"]);
    for (const email of ["ann@shop.io", "jörg@shop.io", "ann@shop.é"]) {
      child.stdin.write(encode(`${email}\n`));
      const [seen] = await once(child.stdout, "data");
      expect(emailsIn(String(seen))).toEqual([email]);
    }
    child.stdin.end();
    await once(child, "close");
  }
});

test("a list that cannot be decoded ends at that line, after the results of those before", async () => {
  const mixed = Buffer.concat([
    Buffer.from("ann@shop.io\nzoë@shop.io\n\n"),
    Buffer.from("j\xf6@shop.io\n", "latin1"),
  ]);
  const { code, stdout, stderr } = await mailvet([...SYNTAX, "-"], {
    input: Buffer.concat([Buffer.from("é@shop.io\n"), mixed]),
  });
  expect({ code, emails: emailsIn(stdout) }).toEqual({
    code: 2,
    emails: ["é@shop.io", "ann@shop.io", "zoë@shop.io"],
  });
  expect(stderr).toBe(
    "mailvet: cannot read the list -: line 5 has a character that is not UTF-8 (near byte 39); save it as UTF-8\n",
  );
  const utf32 = await mailvet([...SYNTAX, "-"], { input: Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]) });
  expect(utf32).toMatchObject({ code: 2, stderr: expect.stringContaining("The file is UTF-32 text.") });
});

test.for([
  ["a spreadsheet", "PK\x03\x04…\n…"],
  ["a gzip file", gzipSync("ann@shop.io\n")],
  ["a PDF document", "%PDF-1.7\n…"],
] as const)("the bytes of %s are not checked line by line", async ([name, input]) => {
  const { code, stdout, stderr } = await mailvet([...SYNTAX, "-"], { input });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(`mailvet: cannot read the list -: This is ${name}`);
});

test("results that cannot be written end with exit code 1 and one line", async () => {
  const list = join(folder, "unwritten.txt");
  const failed = {
    code: 1,
    stdout: "",
    stderr: "mailvet: cannot write the results: no space left on device\n",
  };
  for (const emails of [1, 10_000]) {
    writeFileSync(list, "ann@shop.io\n".repeat(emails));
    expect(await mailvet([...SYNTAX, "--file", list], { setup: "exec >/dev/full" })).toMatchObject(failed);
  }
  const child = startMailvet([...SYNTAX, "-"], {}, "exec >/dev/full"); // its input stays open
  child.stdin.write("ann@shop.io\n");
  expect(await once(child, "close")).toEqual([1, null]);
});

test("a lone - reads standard input, unless there is another list", async () => {
  const [read, refused] = await Promise.all([
    mailvet([...SYNTAX, "-"], { input: "a@shop.io\n" }),
    mailvet([...SYNTAX, "-", "--file", join(folder, "other.txt")]),
  ]);
  expect(emailsIn(read.stdout)).toEqual(["a@shop.io"]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("only one list") });
});

test("a CSV file is checked line by line, with a hint to use clean", async () => {
  const list = join(folder, "people.CSV");
  writeFileSync(list, "Ann,ann@shop.io\n");
  const { code, stdout, stderr } = await mailvet([...SYNTAX, "--file", list]);
  expect({ code, emails: emailsIn(stdout) }).toEqual({ code: 0, emails: ["Ann,ann@shop.io"] });
  expect(stderr).toMatch(/^mailvet: this looks like a table; .*: mailvet clean .*people\.CSV\n$/);
});

test("invalid lines in LOCAL_LISTS are rejected at start", async () => {
  const own = join(folder, "own.txt");
  writeFileSync(own, "allow example.com\nforbid example.net\n");
  const { code, stdout, stderr } = await mailvet([...SYNTAX, "ann@shop.io"], { env: { LOCAL_LISTS: own } });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("line 2");
});
