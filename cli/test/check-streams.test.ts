/** mailvet check with long, slow and odd lists: no row is lost, output is not delayed, memory is bounded. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  expect(stderr).toMatch(/^mailvet: this looks like CSV; .*: mailvet clean .*people\.CSV\n$/);
});

test("invalid lines in LOCAL_LISTS are rejected at start", async () => {
  const own = join(folder, "own.txt");
  writeFileSync(own, "allow example.com\nforbid example.net\n");
  const { code, stdout, stderr } = await mailvet([...SYNTAX, "ann@shop.io"], { env: { LOCAL_LISTS: own } });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("line 2");
});
