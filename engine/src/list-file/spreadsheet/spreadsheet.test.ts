import { Readable } from "node:stream";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import writeExcelFile from "write-excel-file/node";
import { odsOf, rowOf, workbookEntries, xlsxOf, zipOf } from "../../../test/workbooks.ts";
import { openListFile } from "../list-file.ts";
import { ListFileError } from "../list-file-error.ts";

const LIMITS = { maxTextBytes: 50_000_000, maxRows: 1_000_000 };

async function open(file: Uint8Array, options: Partial<typeof LIMITS> & { sheet?: string } = {}) {
  const chunks = Readable.from(
    (function* () {
      for (let at = 0; at < file.length; at += 50_000) yield file.subarray(at, at + 50_000);
    })(),
  );
  const list = await openListFile(chunks, { ...LIMITS, ...options });
  const rows: string[][] = [];
  for await (const batch of list.batches) rows.push(...batch);
  return { ...list, rows };
}

async function rowsOf(sheetData: string, parts: Partial<Parameters<typeof xlsxOf>[0]> = {}) {
  const { header, rows } = await open(await xlsxOf({ sheets: { S: sheetData }, ...parts }));
  return header ? [header, ...rows] : rows;
}

async function errorOf(file: Promise<Uint8Array> | Uint8Array, options = {}): Promise<ListFileError> {
  const error = await open(await file, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ListFileError);
  return error as ListFileError;
}

describe("cells", () => {
  test("shared, inline and formula strings, rich text without phonetic hints, escapes", async () => {
    const strings = `<si><t>e-mail</t></si><si><r><t>ann</t></r><r><t xml:space="preserve"> &amp; co</t></r><rPh><t>ANN</t></rPh></si><si/>`;
    const rows = await rowsOf(
      `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
       <row r="2"><c r="A2" t="str"><f>CONCAT("a","@x.io")</f><v>a@x.io</v></c><c r="B2" t="inlineStr"><is><t>line_x000D_one</t></is></c></row>
       <row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3" t="inlineStr"><is><t><![CDATA[<x>]]></t></is></c></row>`,
      { strings },
    );
    expect(rows).toEqual([
      ["e-mail", "ann & co"],
      ["a@x.io", "line\rone"],
      ["", "<x>"],
    ]);
  });

  test("escapes of characters that are no text: NULs are dropped, lone surrogates replaced", async () => {
    const escaped = "a_x0000__xD800__xD83D__xDE00_@x.io_xDC00_";
    const rows = await rowsOf(
      `<row><c t="s"><v>0</v></c><c t="str"><v>${escaped}</v></c><c t="inlineStr"><is><t>${escaped}</t></is></c></row>`,
      { strings: `<si><t>${escaped}</t></si>` },
    );
    expect(rows).toEqual([Array(3).fill("a\u{fffd}\u{1f600}@x.io\u{fffd}")]);
  });

  test("a formula without a stored value is its text, so that its row is not lost", async () => {
    const rows = await rowsOf(
      `<row><c><f>HYPERLINK("mailto:ann@x.io")</f></c></row><row><c><f>1&amp;2</f><v/></c></row>
       <row><c t="str"><f>A1</f><v></v></c><c t="str"><v>x</v></c></row><row><c><f>1+1</f><v>2</v></c></row>`,
    );
    expect(rows).toEqual([['=HYPERLINK("mailto:ann@x.io")'], ["=1&2"], ["", "x"], ["2"]]);
  });

  test("numbers, booleans and errors as they are displayed; zeros of a format are kept", async () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs>`;
    const rows = await rowsOf(
      `<row><c><v>4915112345678</v></c><c><v>0.30000000000000004</v></c><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c><c s="1"><v>1234</v></c><c t="inlineStr"><is><t>007</t></is></c></row>`,
      { styles },
    );
    expect(rows).toEqual([["4915112345678", "0.3", "TRUE", "FALSE", "#N/A", "01234", "007"]]);
  });

  const DATES = `<numFmts><numFmt numFmtId="165" formatCode="[$-409]d\\-mmm\\-yy;@"/><numFmt numFmtId="166" formatCode="0.00&quot; days&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="165"/><xf numFmtId="46"/><xf numFmtId="166"/></cellXfs>`;
  test("dates as ISO 8601 in the date systems of 1900 and 1904", async () => {
    const cells = `<row><c s="1"><v>45352</v></c><c s="2"><v>45352.5</v></c><c s="3"><v>1</v></c><c s="1"><v>0.75</v></c><c s="4"><v>1.5</v></c><c s="5"><v>3</v></c><c t="d"><v>2024-03-01</v></c><c s="1"><v>-5</v></c></row>`;
    expect(await rowsOf(cells, { styles: DATES })).toEqual([
      ["2024-03-01", "2024-03-01 12:00:00", "1900-01-01", "18:00:00", "36:00:00", "3", "2024-03-01", "-5"],
    ]);
    const [row] = await rowsOf(`<row><c s="1"><v>43890</v></c><c t="inlineStr"><is><t>x</t></is></c></row>`, {
      styles: DATES,
      is1904: true,
    });
    expect(row).toEqual(["2024-03-01", "x"]);
  });

  test("gaps between cells are empty, empty rows are skipped, merged cells keep the first", async () => {
    const rows = await rowsOf(
      `<row r="2"><c r="B2" t="inlineStr"><is><t>email</t></is></c><c r="D2" t="inlineStr"><is><t>note</t></is></c></row>
       <row r="5"/><row r="6"><c r="A6"/></row>
       <row r="9"><c r="B9" t="inlineStr"><is><t>a@x.io</t></is></c><c r="C9" s="0"/></row>`,
      { more: {} },
    );
    expect(rows).toEqual([
      ["", "email", "", "note"],
      ["", "a@x.io"],
    ]);
  });

  test("element names may have a prefix, and text may be UTF-16", async () => {
    const entries = workbookEntries({ sheets: { S: "" } });
    const sheet = `<?xml version="1.0"?><x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="str"><x:v>é@x.io</x:v></x:c></x:row></x:sheetData></x:worksheet>`;
    const file = await zipOf({
      ...entries,
      "xl/worksheets/sheet1.xml": Buffer.from(`\ufeff${sheet}`, "utf16le"),
    });
    expect((await open(file)).rows).toEqual([["é@x.io"]]);
  });

  test("what a spreadsheet writer wrote is read as it was", async () => {
    const cell = fc.oneof(
      fc
        .string({ unit: "grapheme", maxLength: 40 })
        .map((text) => text.replace(/[\p{Cc}\p{NChar}\uFFFD]/gu, "")) // the writer leaves them out
        .filter((text) => text !== "" && !/_x[\dA-Fa-f]{4}_/.test(text) && !(text in {})) // the writer looks shared strings up in {}
        .map((value) => ({ value, type: String, text: value })),
      fc
        .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }))
        .map((value) => ({ value, type: Number, text: String(Number(value.toPrecision(15)) + 0) })),
      fc.boolean().map((value) => ({ value, type: Boolean, text: value ? "TRUE" : "FALSE" })),
      fc
        .integer({ min: -1_000_000_000, max: 4_000_000_000 })
        .map((seconds) => new Date(seconds * 1000))
        .map((value) => ({
          value,
          type: Date,
          format: "yyyy-mm-dd hh:mm:ss",
          text: value.toISOString().slice(0, 19).replace("T", " ").replace(" 00:00:00", ""),
        })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
        async (table) => {
          const written = [
            [
              { value: "a", type: String },
              { value: "b", type: String },
            ],
            ...table,
          ];
          const file = await writeExcelFile(
            written.map((row) => row.map((cell) => ({ ...cell, text: undefined }))) as never,
          ).toBuffer();
          const { header, rows } = await open(file);
          expect(header).toEqual(["a", "b"]);
          expect(rows).toEqual(table.map((row) => row.map(({ text }) => text)));
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("sheets", () => {
  const TWO = {
    Cover: rowOf("Report", "2024"),
    "Q1 & Q2": rowOf("email") + rowOf("ann@x.io"),
    Old: rowOf("bo@x.io"),
  };
  const escaped = Object.fromEntries(
    Object.entries(TWO).map(([name, rows]) => [name.replace("&", "&amp;"), rows]),
  );

  test("the first visible sheet with emails is read, another one by name", async () => {
    const file = await xlsxOf({ sheets: escaped, hidden: ["Old"] });
    expect(await open(file)).toMatchObject({
      sheet: "Q1 & Q2",
      sheets: ["Cover", "Q1 & Q2"],
      columns: ["email"],
      rows: [["ann@x.io"]],
    });
    expect(await open(file, { sheet: "Old" })).toMatchObject({ sheet: "Old", rows: [["bo@x.io"]] });
  });

  test("an unknown sheet is refused with the names", async () => {
    const error = await errorOf(xlsxOf({ sheets: escaped }), { sheet: "Nope" });
    expect([error.kind, error.message]).toEqual([
      "sheet_not_found",
      'The sheets are "Cover", "Q1 & Q2", "Old".',
    ]);
  });
});

test("workbooks that are closed before their rows are read leave room for others", async () => {
  const file = await xlsxOf({ sheets: { S: rowOf("email") + rowOf("ann@x.io").repeat(5000) } });
  for (let n = 0; n < 4; n++) {
    const list = await openListFile(Readable.from([file]), LIMITS);
    await list.close();
    await list.close();
  }
});

describe("OpenDocument", () => {
  const cell = (text: string, attributes = "") =>
    `<table:table-cell${attributes}><text:p>${text}</text:p></table:table-cell>`;
  test("typed cells, repeated cells and rows, paragraphs, comments", async () => {
    const file = await odsOf(
      `<table:table table:name="One"><table:table-row>${cell("email")}${cell("n")}${cell("x")}</table:table-row>
       <table:table-row table:number-rows-repeated="2">${cell("a@x.io")}<table:table-cell office:value-type="float" office:value="1.50"><text:p>1,5</text:p></table:table-cell>
       ${cell("two<text:s text:c='2'/>words</text:p><text:p>more", ' table:number-columns-repeated="2"')}<table:table-cell table:number-columns-repeated="16380"/></table:table-row>
       <table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
       <table:table-row><table:table-cell office:value-type="date" office:date-value="2024-03-01T00:00:00"><office:annotation><text:p>note</text:p></office:annotation><text:p>1.3.</text:p></table:table-cell>
       <table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>WAHR</text:p></table:table-cell></table:table-row></table:table>
       <table:table table:name="Two"><table:table-row>${cell("b@x.io")}</table:table-row></table:table>`,
    );
    const row = ["a@x.io", "1.5", "two  words\nmore", "two  words\nmore"];
    expect(await open(file)).toMatchObject({
      header: ["email", "n", "x"],
      sheets: ["One", "Two"],
      rows: [row, row, ["2024-03-01", "TRUE"]],
    });
    expect((await open(file, { sheet: "Two" })).rows).toEqual([["b@x.io"]]);
  });

  test("texts of images and shapes that are anchored to a cell are not its text", async () => {
    const shapes =
      "<draw:frame><draw:image><text:p/></draw:image></draw:frame><draw:custom-shape><text:p>new!</text:p></draw:custom-shape>";
    const file = await odsOf(
      `<table:table table:name="One"><table:shapes><draw:rect><text:p>!</text:p></draw:rect></table:shapes>
       <table:table-row>${cell("email")}</table:table-row><table:table-row><table:table-cell>${shapes}<text:p>a@x.io</text:p></table:table-cell></table:table-row></table:table>`,
    );
    expect((await open(file)).rows).toEqual([["a@x.io"]]);
  });

  test("one with a password is refused", async () => {
    const manifest = "<m:manifest xmlns:m='m'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";
    const error = await errorOf(odsOf("", manifest));
    expect([error.kind, error.message]).toEqual(["unsupported_file", expect.stringContaining("password")]);
  });

  test("rows repeated beyond the limit are refused without being made", async () => {
    const tables = `<table:table table:name="S"><table:table-row table:number-rows-repeated="9000000000">${cell("a@x.io")}</table:table-row></table:table>`;
    expect((await errorOf(odsOf(tables))).kind).toBe("too_many_rows");
  });
});

describe("hostile files", () => {
  const entries = workbookEntries({ sheets: { S: rowOf("a@x.io") } });
  const withSheet = (xml: string | Buffer) => zipOf({ ...entries, "xl/worksheets/sheet1.xml": xml });
  const SHEET = '<?xml version="1.0"?><worksheet><sheetData>';

  test("entity and document type declarations", async () => {
    const laughs = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>`;
    const error = await errorOf(withSheet(laughs));
    expect([error.kind, error.message]).toEqual([
      "undecodable_file",
      expect.stringContaining("document type declaration"),
    ]);
    const undeclared = await errorOf(
      withSheet(`${SHEET}<row><c t="str"><v>&lol;</v></c></row></sheetData></worksheet>`),
    );
    expect(undeclared.kind).toBe("undecodable_file");
  });

  test("a sheet that expands far beyond its size", async () => {
    const error = await errorOf(
      withSheet(Buffer.concat([Buffer.from(SHEET), Buffer.alloc(40_000_000, " ")])),
    );
    expect(error.kind).toBe("compression_bomb");
  });

  describe("many sheets in one large part", () => {
    const manySheets = (count: number) => {
      const empty = Array.from({ length: count }, (_, n) => [`Empty ${n + 1}`, ""]);
      const sheets = {
        ...Object.fromEntries(empty),
        "Empty 1": '<row spans="1:9"/>'.repeat(250_000),
        Emails: rowOf("a@x.io"),
      };
      const entries = workbookEntries({ sheets });
      const relations = String(entries["xl/_rels/workbook.xml.rels"]);
      return zipOf({
        ...entries,
        "xl/_rels/workbook.xml.rels": relations.replace(/sheet(\d+)\.xml/g, (path, n) =>
          Number(n) > count ? path : "sheet1.xml",
        ),
      });
    };

    test("a few are searched for emails", async () => {
      expect(await open(await manySheets(4))).toMatchObject({ sheet: "Emails", rows: [["a@x.io"]] });
    });

    test("the search ends when it has read enough of them together", async () => {
      expect((await errorOf(manySheets(12))).kind).toBe("empty_file"); // the first sheet
    });
  });

  test("a sheet above the limit of bytes, whatever its ratio", async () => {
    const error = await errorOf(withSheet(SHEET + rowOf("a@x.io").repeat(2000)), { maxTextBytes: 10_000 });
    expect(error.kind).toBe("compression_bomb");
  });

  test("a shared string that is referred to a million times", async () => {
    const sheets = { S: `<row>${'<c t="s"><v>0</v></c>'.repeat(20)}</row>`.repeat(2000) };
    const error = await errorOf(xlsxOf({ sheets, strings: `<si><t>${"x".repeat(30_000)}</t></si>` }), {
      maxTextBytes: 5_000_000,
    });
    expect([error.kind, error.message]).toEqual(["compression_bomb", expect.stringContaining("of text")]);
  });

  test("too many shared strings", async () => {
    const error = await errorOf(xlsxOf({ sheets: { S: rowOf("x") }, strings: "<si/>".repeat(4_000_001) }), {
      maxTextBytes: 50_000_000,
    });
    expect(error.kind).toBe("compression_bomb");
  });

  test("elements nested without end, and a tag without end", async () => {
    expect((await errorOf(withSheet(SHEET + "<a>".repeat(200)))).message).toContain("levels");
    expect(
      (await errorOf(withSheet(`${SHEET}<row ${'a="" '.repeat(1).padEnd(3_000_000, "x")}`))).message,
    ).toContain("too long");
  });

  test("more entries than any workbook", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`xl/media/${n}`, ""]));
    expect((await errorOf(zipOf({ ...entries, ...many }))).kind).toBe("compression_bomb");
  });

  test("names that climb out of the archive", async () => {
    const file = await zipOf({ ...entries, "aa/aa/evil.xml": "<a/>" });
    const patched = Buffer.from(
      file.toString("latin1").replaceAll("aa/aa/evil.xml", "../../evil.xml"),
      "latin1",
    );
    const error = await errorOf(patched);
    expect([error.kind, error.message]).toEqual([
      "undecodable_file",
      expect.stringContaining("../../evil.xml"),
    ]);
  });

  test("truncated, damaged and encrypted archives", async () => {
    const file = await zipOf(entries);
    for (const end of [100, file.length - 30]) {
      const error = await errorOf(file.subarray(0, end));
      expect([error.kind, error.message]).toEqual([
        "undecodable_file",
        "The spreadsheet is damaged: its end is missing. Save it again.",
      ]);
    }
    const sheet = deflateRawSync(entries["xl/worksheets/sheet1.xml"]!);
    const broken = Buffer.from(file);
    broken.fill(0xff, file.indexOf(sheet.subarray(0, 20)) + 5, file.indexOf(sheet.subarray(0, 20)) + 30);
    const damaged = await errorOf(broken);
    expect([damaged.kind, damaged.message]).toEqual([
      "undecodable_file",
      expect.stringMatching(/^The spreadsheet is damaged: xl\/worksheets\/sheet1.xml: .+\. Save it again\.$/),
    ]);
    const encrypted = Buffer.from(file);
    for (
      let at = encrypted.indexOf("PK\x01\x02", 0, "latin1");
      at >= 0;
      at = encrypted.indexOf("PK\x01\x02", at + 4, "latin1")
    )
      encrypted.writeUInt16LE(encrypted.readUInt16LE(at + 8) | 1, at + 8);
    expect((await errorOf(encrypted)).message).toContain("password");
  });

  test("cells far to the right, rows and cells that are too long", async () => {
    expect((await errorOf(xlsxOf({ sheets: { S: '<row><c r="XFD1"><v>1</v></c></row>' } }))).kind).toBe(
      "not_a_table",
    );
    expect((await errorOf(xlsxOf({ sheets: { S: '<row><c r="AAAAAA1"><v>1</v></c></row>' } }))).kind).toBe(
      "undecodable_file",
    );
    const tooLong = await errorOf(xlsxOf({ sheets: { S: rowOf("a") + rowOf("a", "x".repeat(70_000)) } }));
    expect([tooLong.kind, tooLong.message]).toEqual([
      "not_a_table",
      "Row 2 of the sheet has a cell of more than 65,536 characters, in column 2.",
    ]);
    expect((await errorOf(xlsxOf({ sheets: { S: '<row><c t="s"><v>7</v></c></row>' } }))).kind).toBe(
      "undecodable_file",
    );
  });

  const odsWith = (text: string) =>
    odsOf(
      `<table:table table:name="S"><table:table-row><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row></table:table>`,
    );
  const RUNS = `<r><t>${"x".repeat(950)}</t></r>`.repeat(1000);
  test.each([
    ["an inline string", () => withSheet(`${SHEET}<row><c t="inlineStr"><is>${RUNS}`)],
    [
      "a value",
      () => withSheet(`${SHEET}<row><c t="str"><v>${`<![CDATA[${"x".repeat(950)}]]>`.repeat(1000)}`),
    ],
    ["a shared string", () => xlsxOf({ sheets: { S: rowOf("x") }, strings: `<si>${RUNS}` })],
    ["text of OpenDocument", () => odsWith(`<text:span>${"x".repeat(950)}</text:span>`.repeat(1000))],
    ["spaces of OpenDocument", () => odsWith('<text:s text:c="65536"/>'.repeat(10))],
  ])("%s that does not end is refused before its end", async (_, file) => {
    const error = await errorOf(file());
    expect([error.kind, error.message]).toEqual([
      "not_a_table",
      "The sheet has a cell of more than 65,536 characters.",
    ]);
  });

  test("a long cell of escapes is read", async () => {
    const text = "_x000D_".repeat(65_536);
    expect((await rowsOf(rowOf("a@x.io", text)))[0]![1]).toHaveLength(65_536);
  });

  test.each([
    ["a ZIP archive", { "list.csv": "a@x.io" }],
    ["a Word document", { "[Content_Types].xml": "<a/>", "word/document.xml": "<a/>" }],
    ["a binary Excel workbook", { "[Content_Types].xml": "<a/>", "xl/workbook.bin": "x" }],
  ])("%s is named", async (what, archive) => {
    const error = await errorOf(zipOf(archive as never));
    expect([error.kind, error.message]).toEqual(["unsupported_file", expect.stringContaining(what)]);
  });

  test("any change of a byte gives rows or a ListFileError", async () => {
    const file = await zipOf(entries);
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(file);
        changed[at]! ^= change;
        await open(changed).catch((error) => expect(error).toBeInstanceOf(ListFileError));
      }),
      { numRuns: 300 },
    );
  });
});
