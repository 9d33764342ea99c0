/** Spreadsheets over HTTP: upload, choice of a sheet, download and upload again, refused files. */
import type { ProblemCode } from "@mailvet/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { odsOf, rowOf, workbookEntries, xlsxOf, zipOf } from "../../engine/test/workbooks.ts";
import { type Lists, listsOf } from "./jobs-http-world.ts";
import { expectProblem } from "./problems.ts";
import { formWith, openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
let ann: TestAccount;
let lists: Lists;
beforeAll(async () => {
  service = await openService({ env: { MAX_UPLOAD_MB: "5" } });
  ann = await service.openAccount({ credits: 100 });
  lists = listsOf(service, ann);
});
afterAll(() => service[Symbol.asyncDispose]());

const bytes = (file: Buffer) => new Uint8Array(file);

const WORKBOOK = {
  sheets: {
    Cover: rowOf("Customers 2024"),
    Customers: `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>
      <row><c t="s"><v>3</v></c><c s="1"><v>45352</v></c><c><v>7.5</v></c></row>
      <row/><row><c t="inlineStr"><is><t>role-based@mailvet.test</t></is></c><c/><c t="str"><v>=1+1</v></c></row>`,
    Partners: rowOf("e-mail") + rowOf("valid+partner@mailvet.test"),
  },
  strings: "<si><t>email</t></si><si><t>since</t></si><si><t>rate</t></si><si><t>valid@mailvet.test</t></si>",
  styles: '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
};

test("a workbook is previewed, validated, downloaded as XLSX, and that goes back in", async () => {
  const preview = await lists.upload(bytes(await xlsxOf(WORKBOOK)), "customers.xlsx");
  expect(preview).toMatchObject({
    filename: "customers.xlsx",
    sheet: "Customers",
    sheets: ["Cover", "Customers", "Partners"],
    columns: ["email", "since", "rate"],
    suggested_email_column: "email",
    total_rows: 2,
    sample_rows: [
      ["valid@mailvet.test", "2024-03-01", "7.5"],
      ["role-based@mailvet.test", "", "=1+1"],
    ],
    has_header: true,
  });
  const { id } = await lists.confirm(preview);
  expect(await lists.ended(id)).toMatchObject({ status: "completed", credits_used: 2 });
  const [header, first, second] = await lists.download(id);
  expect(header!.slice(0, 4)).toEqual(["email", "since", "rate", "mailvet_status"]);
  expect(first!.slice(0, 4)).toEqual(["valid@mailvet.test", "2024-03-01", "7.5", "valid"]);
  expect(second![3]).toBe("risky");

  const download = await fetch(`${service.url}/api/v1/bulk/jobs/${id}/download?format=xlsx`, {
    headers: { "x-api-key": ann.key },
  });
  expect(download.headers.get("content-disposition")).toContain("customers-results.xlsx");
  const again = await lists.upload(new Uint8Array(await download.arrayBuffer()), "customers-results.xlsx");
  expect(again).toMatchObject({
    sheet: "Results",
    columns: header,
    suggested_email_column: "email",
    total_rows: 2,
  });
  expect(again.sample_rows[0]!.slice(0, 6)).toEqual(first!.slice(0, 6));
});

test("a sheet is chosen by name, and an idempotency key belongs to the sheet", async () => {
  const file = bytes(await xlsxOf(WORKBOOK));
  const send = (query: string, idempotencyKey: string) =>
    lists.ask(`/bulk/upload/preview${query}`, {
      form: formWith(file, "customers.xlsx"),
      headers: { "idempotency-key": idempotencyKey },
    });
  const chosen = await send("?sheet=Partners", "a");
  expect(chosen.body).toMatchObject({ sheet: "Partners", columns: ["e-mail"], total_rows: 1 });
  const replayed = await send("?sheet=Partners", "a");
  expect([replayed.body, replayed.headers.get("idempotency-replayed")]).toEqual([chosen.body, "true"]);
  await expectProblem(service, await send("?sheet=Customers", "a"), "idempotency_key_reused");
  await expectProblem(service, await send("?sheet=Nope", "b"), "sheet_not_found");
});

test("an OpenDocument spreadsheet is read alike", async () => {
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const file = await odsOf(
    `<table:table table:name="People"><table:table-row>${cell("mail")}</table:table-row><table:table-row>${cell("valid@mailvet.test")}</table:table-row></table:table>`,
  );
  const { id } = await lists.confirm(await lists.upload(bytes(file), "people.ods"));
  expect(await lists.ended(id)).toMatchObject({
    status: "completed",
    valid_count: 1,
    filename: "people.ods",
  });
});

const SHEET = "xl/worksheets/sheet1.xml";
const sound = workbookEntries({ sheets: { S: rowOf("valid@mailvet.test") } });
const HOSTILE: readonly (readonly [what: string, code: string, file: () => Promise<Buffer>])[] = [
  [
    "a sheet that expands a thousandfold",
    "compression_bomb",
    () => zipOf({ ...sound, [SHEET]: Buffer.alloc(60_000_000, " ") }),
  ],
  [
    "one string referred to over and over",
    "compression_bomb",
    () =>
      xlsxOf({
        sheets: { S: `<row>${'<c t="s"><v>0</v></c>'.repeat(20)}</row>`.repeat(3000) },
        strings: `<si><t>${"x".repeat(30_000)}</t></si>`,
      }),
  ],
  [
    "an entity declaration",
    "undecodable_file",
    () => zipOf({ ...sound, [SHEET]: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' }),
  ],
  ["a truncated archive", "undecodable_file", async () => (await zipOf(sound)).subarray(0, -40)],
  [
    "names that climb",
    "undecodable_file",
    async () =>
      Buffer.from(
        (await zipOf({ ...sound, "a/b/c": "x" })).toString("latin1").replaceAll("a/b/c", "../cc"),
        "latin1",
      ),
  ],
  ["an archive of something else", "unsupported_file", () => zipOf({ "list.csv": "valid@mailvet.test" })],
  ["an old workbook", "unsupported_file", async () => Buffer.from("d0cf11e0a1b11ae100", "hex")],
  ["a sheet without rows", "empty_file", () => xlsxOf({ sheets: { S: "<row/>" } })],
];

test.each(HOSTILE)("%s: %s, and nothing is stored or charged", async (_, code, file) => {
  const bo = await service.openAccount({ credits: 3 });
  const answer = await service.ask("/bulk/upload/preview", {
    key: bo.key,
    form: formWith(bytes(await file()), "list.xlsx"),
  });
  await expectProblem(service, answer, code as ProblemCode);
  const { rowCount } = await service.database.pool.query("select from uploads where account_id = $1", [
    bo.accountId,
  ]);
  expect(rowCount).toBe(0);
  expect((await service.ask("/account", { key: bo.key })).body.credits.balance).toBe(3);
});

test("a check is answered while a large workbook is read", async () => {
  const rows = Array.from({ length: 40_000 }, (_, n) =>
    rowOf(`valid+${n}@mailvet.test`, "some note", `${n}`),
  );
  const file = bytes(await xlsxOf({ sheets: { S: rows.join("") } }));
  const upload = { isDone: false };
  const preview = lists.upload(file, "large.xlsx").finally(() => {
    upload.isDone = true;
  });
  let answered = 0;
  while (!upload.isDone) {
    const { status } = await fetch(`${service.url}/health/live`); // needs no database
    expect(status).toBe(200);
    if (!upload.isDone) answered++;
  }
  expect((await preview).total_rows).toBe(40_000);
  expect(answered).toBeGreaterThan(0);
});

test("a workbook with escaped NULs and lone surrogates is checked to its end", async () => {
  const names = ["valid_x0000_", "VALID_x0000_", "valid+b_xD800_", "VALID+b_xD800_"];
  const sheet = names.map((name) => rowOf(`${name}@mailvet.test`)).join("");
  const file = await xlsxOf({ sheets: { S: rowOf("email") + sheet } });
  const { id } = await lists.confirm(await lists.upload(bytes(file), "escapes.xlsx"));
  expect(await lists.ended(id)).toMatchObject({ status: "completed", duplicate_count: 2 });
  const [, ...rows] = await lists.download(id);
  const ends = ["", "", "+b\u{fffd}", "+b\u{fffd}"];
  expect(rows.map(([email]) => email!.toLowerCase())).toEqual(ends.map((end) => `valid${end}@mailvet.test`));
});
