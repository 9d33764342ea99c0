import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { verifierFrom } from "@mailvet/engine";
import { ListFileError, VERDICT_COLUMNS } from "@mailvet/engine/list-file";
import { afterAll, expect, test } from "vitest";
import { localSettings } from "../local-settings.ts";
import { chooseColumn } from "./email-column.ts";
import { checkList, emptyTally } from "./list-check.ts";
import { openListOnDisk } from "./list-on-disk.ts";
import { openTable, surveyTable, writeTable } from "./list-table.ts";
import { openResultsFile } from "./results-file.ts";
import { openVerdictStore } from "./verdict-store.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-table-"));
const verifier = verifierFrom(localSettings());
afterAll(async () => {
  await verifier.close();
  rmSync(folder, { recursive: true });
});
const { signal } = new AbortController();

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Same steps as mailvet clean, at level syntax. */
async function cleaned(list: string): Promise<string> {
  await using source = await openListOnDisk(list, signal);
  const found = await surveyTable(source);
  const column = chooseColumn({ list, ...found }, undefined);
  using verdicts = openVerdictStore(found.rows);
  const { batches: rows } = await openTable(source);
  const input = { rows, rowCount: found.rows, column, level: "syntax", patienceMs: 0 } as const;
  await checkList({ verifier, verdicts, signal }, input, emptyTally());
  await using file = await openResultsFile(`${list}.out`, {});
  await writeTable(source, verdicts, file, { column });
  return `${list}.out`;
}

async function rowsIn(path: string): Promise<string[][]> {
  await using source = await openListOnDisk(path, signal);
  const rows: string[][] = [];
  for await (const batch of (await openTable(source)).batches) rows.push(...batch);
  return rows;
}

const many = Array.from({ length: 200 }, (_, n) => `c${n}`);

/** File, and its own cells by row in the output. */
const NASTY: [name: string, content: string | Buffer, cells: string[][]][] = [
  [
    "semicolons in UTF-16",
    Buffer.from("\ufeffName;E-Mail\r\nJürgen;juergen@shop.io\r\n", "utf16le"),
    [["Jürgen", "juergen@shop.io"]],
  ],
  [
    "Latin-1",
    Buffer.from("name,email\nJosé,jose@shop.io\nZoë,zoe@shop.io\n", "latin1"),
    [
      ["José", "jose@shop.io"],
      ["Zoë", "zoe@shop.io"],
    ],
  ],
  [
    "no header",
    "ann@shop.io,Ann\nbob@shop.io,Bob\n",
    [
      ["ann@shop.io", "Ann"],
      ["bob@shop.io", "Bob"],
    ],
  ],
  [
    "line breaks, quotes and delimiters in cells",
    'note,email\n"two\nlines, and ""quotes""",ann@shop.io\n',
    [['two\nlines, and "quotes"', "ann@shop.io"]],
  ],
  ["one column", "email\nann@shop.io\nbob@shop.io\n", [["ann@shop.io"], ["bob@shop.io"]]],
  ["one row", "ann@shop.io", [["ann@shop.io"]]],
  ["two hundred columns", `${many.join()},email\n${many.join()},ann@shop.io\n`, [[...many, "ann@shop.io"]]],
  [
    "ragged rows",
    "email,a,b\nann@shop.io\nbob@shop.io,1,2\n",
    [
      ["ann@shop.io", "", ""],
      ["bob@shop.io", "1", "2"],
    ],
  ],
  ["tabs, packed", gzipSync("email\tname\nann@shop.io\tAnn\n"), [["ann@shop.io", "Ann"]]],
  ["a formula", "email,sum\nann@shop.io,=1+1\n", [["ann@shop.io", "'=1+1"]]],
];

test.for(NASTY)(
  "a file with %s keeps every row and cell, with the verdicts appended",
  async ([name, content, cells]) => {
    const rows = await rowsIn(await cleaned(fileOf(name, content)));
    const width = cells[0]!.length;
    expect(rows.map((row) => row.slice(0, width))).toEqual(cells);
    for (const row of rows) expect(row.slice(width, width + 2)).toEqual(["unknown", "smtp_skipped"]);
  },
);

const IS_DUPLICATE = VERDICT_COLUMNS.indexOf("mailvet_is_duplicate");

test("empty cells get no verdict, and duplicates get that of the first occurrence", async () => {
  const list = fileOf(
    "story.csv",
    "n,email\n1,ann@gmial.com\n2,\n3,Ann <ANN@gmial.com>\n4,mailto:nobody\n5,  \n",
  );
  const rows = await rowsIn(await cleaned(list));
  const [first, blank, again, none, blanks] = rows.map((row) => row.slice(2));
  expect(first).toContain("ann@gmail.com"); // did you mean
  expect(again).toEqual(first!.with(IS_DUPLICATE, "true"));
  expect(none!.slice(0, 2)).toEqual(["invalid", "syntax_error"]);
  for (const cells of [blank, blanks]) expect(cells).toEqual(VERDICT_COLUMNS.map(() => ""));
});

test("a long list keeps every row, and distant duplicates get their verdict", async () => {
  const rows = Array.from({ length: 8_000 }, (_, n) => `ann${n % 5_000}@shop${n % 5}.io`);
  const list = fileOf("long.csv", `email\n${rows.join("\n")}\n`);
  const results = await rowsIn(await cleaned(list));
  expect(results.map(([email]) => email)).toEqual(rows);
  expect(results.filter((row) => row[1] === "unknown")).toHaveLength(8_000);
  const unique = new Set(rows).size;
  expect(results.filter((row) => row[1 + IS_DUPLICATE] === "true")).toHaveLength(8_000 - unique);
});

test.for([
  ["nothing", "", "empty_file"],
  ["a document", "%PDF-1.7\n1 0 obj\n", "unsupported_file"],
])("%s is rejected as a list", async ([, content, kind]) => {
  await using source = await openListOnDisk(fileOf("odd", content!), signal);
  const error = await surveyTable(source).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ListFileError);
  expect(error).toMatchObject({ kind });
});

test("a list that changes while it is read is rejected", async () => {
  const list = fileOf("changing.csv", "email\nann@shop.io\n");
  await using source = await openListOnDisk(list, signal);
  using verdicts = openVerdictStore(1);
  writeFileSync(list, "email\nbob@shop.io\ncy@shop.io\n");
  await using file = await openResultsFile(`${list}.out`, {});
  await expect(writeTable(source, verdicts, file, { column: 0 })).rejects.toThrow(
    "was changed while it was read",
  );
});

test("replacing the file on disk does not affect a list that is open", async () => {
  const list = fileOf("replaced.csv", "email\nann@shop.io\n");
  await using source = await openListOnDisk(list, signal);
  rmSync(list);
  writeFileSync(list, "something else");
  expect((await surveyTable(source)).rows).toBe(1);
  expect(readFileSync(list, "utf8")).toBe("something else");
});

test("results of a results file replace the earlier ones, and columns with similar names stay", async () => {
  const list = fileOf("again.csv", "id,email,mailvet_note,Mailvet_Status\n1,ann@shop.io,x,y\n2,bob@shop\n");
  const first = await cleaned(list);
  const again = await cleaned(first);
  expect(readFileSync(again, "utf8").split("\n")[0]).toBe(readFileSync(first, "utf8").split("\n")[0]);
  const [ann, bob] = await rowsIn(again);
  expect(ann!.slice(0, 5)).toEqual(["1", "ann@shop.io", "x", "y", "unknown"]);
  expect(bob!.slice(0, 5)).toEqual(["2", "bob@shop", "", "", "invalid"]);
  expect(ann).toHaveLength(4 + VERDICT_COLUMNS.length);
});
