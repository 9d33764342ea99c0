/** Stories of long, slow and odd lists: nothing is lost, nothing is held back, memory stays small. */
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

test("a list that is a named pipe loses no row", async () => {
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

test("lines of a megabyte get a result each, cut, in little memory", async () => {
  const list = join(folder, "monsters.txt");
  writeFileSync(list, `${"x".repeat(1024 * 1024)}\n`.repeat(200));
  const env = { NODE_OPTIONS: "--max-old-space-size=80" };
  const { code, stdout } = await mailvet(["check", "--level", "dns", "--json", "--file", list], { env });
  expect(code).toBe(0);
  const emails = emailsIn(stdout);
  expect(emails).toHaveLength(200);
  expect(new Set(emails)).toEqual(new Set(["x".repeat(8192)]));
});

test("an address in a line of JSON is cut as well, and what stands beside it does no harm", async () => {
  const list = join(folder, "wide.jsonl");
  const rows = [{ email: "y".repeat(20_000) }, { note: "n".repeat(20_000), email: "ann@shop.io" }];
  writeFileSync(list, rows.map((row) => JSON.stringify(row)).join("\n"));
  const { stdout } = await mailvet([...SYNTAX, "--file", list]);
  expect(emailsIn(stdout)).toEqual(["y".repeat(8192), "ann@shop.io"]);
});

test("a result is seen while the list is still being written, and Ctrl-C loses none", async () => {
  const child = startMailvet([...SYNTAX, "--file", "-"]);
  child.stdin.write("a@shop.io\nb@shop.io\n");
  const [seen] = await once(child.stdout, "data");
  expect(emailsIn(String(seen))).toEqual(["a@shop.io", "b@shop.io"]);

  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect(code).toBe(130);
});

test("a lone - is standard input, unless there is another list", async () => {
  const [read, refused] = await Promise.all([
    mailvet([...SYNTAX, "-"], { input: "a@shop.io\n" }),
    mailvet([...SYNTAX, "-", "--file", join(folder, "other.txt")]),
  ]);
  expect(emailsIn(read.stdout)).toEqual(["a@shop.io"]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("one list") });
});

test("a list of comma-separated values is checked as it stands, with a hint how to do better", async () => {
  const list = join(folder, "people.CSV");
  writeFileSync(list, "Ann,ann@shop.io\n");
  const { code, stdout, stderr } = await mailvet([...SYNTAX, "--file", list]);
  expect({ code, emails: emailsIn(stdout) }).toEqual({ code: 0, emails: ["Ann,ann@shop.io"] });
  expect(stderr).toMatch(/^mailvet: this looks like CSV; .*: mailvet clean .*people\.CSV\n$/);
});

test("bad lines in the operator's own list end the command before it begins", async () => {
  const own = join(folder, "own.txt");
  writeFileSync(own, "allow example.com\nforbid example.net\n");
  const { code, stdout, stderr } = await mailvet([...SYNTAX, "ann@shop.io"], { env: { LOCAL_LISTS: own } });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("line 2");
});
