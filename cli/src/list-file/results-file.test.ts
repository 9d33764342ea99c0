import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openResultsFile, partialPath, resultsName, resultsPath } from "./results-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailvet-results-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the results file exists only when it is complete", async () => {
  const path = join(folder, "out.csv");
  await using file = await openResultsFile(path, {});
  await file.write("one ");
  await file.write(Buffer.from("two"));
  expect(readdirSync(folder)).not.toContain("out.csv");
  await file.finish();
  expect(readFileSync(path, "utf8")).toBe("one two");
  expect(readdirSync(folder)).toEqual(["out.csv"]);
});

test("an incomplete file is removed", async () => {
  const work = async () => {
    await using file = await openResultsFile(join(folder, "out.csv"), {});
    await file.write("half");
    throw new Error("write failed");
  };
  await expect(work()).rejects.toThrow("write failed");
  expect(readdirSync(folder)).toEqual([]);
});

test("a file that another program created meanwhile is replaced only with force, and the results are not lost", async () => {
  const path = join(folder, "out.csv");
  await using file = await openResultsFile(path, {});
  await file.write("results");
  writeFileSync(path, "precious");
  const error = await file.finish().catch((error: Error) => error);
  expect(String(error)).toMatch(/was created by another program; the results are in .*\.part/);
  expect(readFileSync(path, "utf8")).toBe("precious");
  const part = /in (.*\.part)$/.exec(String(error))![1]!;
  expect(readFileSync(part, "utf8")).toBe("results");

  await using forced = await openResultsFile(path, { force: true });
  await forced.write("results");
  await forced.finish();
  expect(readFileSync(path, "utf8")).toBe("results");
});

test.for([
  ["people.csv", "csv", "people-results.csv"],
  ["people.xlsx", "csv", "people-results.csv"],
  ["people.CSV.gz", "xlsx", "people-results.xlsx"],
  ["people.2026.tsv", "csv", "people.2026-results.csv"],
  ["people", "ndjson", "people-results.ndjson"],
  ["../../etc/passwd", "csv", "__.._etc_passwd-results.csv"],
  ["\u001b[2J.csv", "csv", "_[2J-results.csv"],
  ["", "csv", "list-results.csv"],
  [`${"名".repeat(90)}.csv`, "csv", `${"名".repeat(66)}-results.csv`], // the limit is in bytes, not in characters
] as const)("results of %j as %s are named %s", ([name, format, expected]) => {
  expect(resultsName(name, format)).toBe(expected);
});

test("a path that cannot be written is rejected before the work starts", async () => {
  const list = join(folder, "people.csv");
  expect(await resultsPath(list, {})).toBe(join(folder, "people-results.csv"));
  expect(await resultsPath("-", { out: "-" })).toBe("-");
  writeFileSync(join(folder, "people-results.csv"), "");
  await expect(resultsPath(list, {})).rejects.toThrow("already exists");
  await expect(resultsPath(list, { force: true })).resolves.toContain("people-results.csv");
  await expect(resultsPath(list, { out: join(folder, "no", "x.csv") })).rejects.toThrow("does not exist");
  await expect(resultsPath("-", {})).rejects.toThrow("needs --out FILE");
  await expect(resultsPath(list, { out: folder, force: true })).rejects.toThrow("is not a regular file");
  await expect(resultsPath(list, { out: "/dev/null", force: true })).rejects.toThrow("is not a regular file");
  const tooLong = join(folder, "x".repeat(250));
  await expect(resultsPath(list, { out: tooLong })).rejects.toThrow("cannot write the results");
  expect(readdirSync(folder)).toEqual(["people-results.csv"]);
});

test("partial results never replace an existing file", async () => {
  const first = await partialPath(join(folder, "out.csv"));
  expect(first).toBe(join(folder, "out.partial.csv"));
  writeFileSync(first, "earlier run");
  expect(await partialPath(join(folder, "out.csv"))).toBe(join(folder, "out.partial-2.csv"));
});
