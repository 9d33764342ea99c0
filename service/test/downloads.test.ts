import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { JobResult, SubStatus } from "@mailvet/contract";
import readExcelFile from "read-excel-file/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { results } from "../src/jobs/schema.ts";
import { type JobsWorld, openJobsWorld, resultRow, type WantedJob } from "./jobs-read-world.ts";
import { unzip } from "./unzip.ts";

let world: JobsWorld;
beforeAll(async () => {
  world = await openJobsWorld();
});
afterAll(() => world.close());

const ROWS = [
  ["1", "a@x.io", 'says "hi"'],
  ["2", "", "=1+1"],
  ["3", "A@x.io", "two\r\nlines"],
  ["4", "b@x.io"],
  ["5", "c@x.io", "fine", "one more"],
];
const VERDICTS: Record<string, SubStatus> = { "a@x.io": "", "b@x.io": "mailbox_not_found" };
const LIST: WantedJob = {
  header: ["id", "E-Mail", "note"],
  columns: ["id", "E-Mail", "note"],
  columnNumber: 1,
  rows: ROWS,
  verdicts: VERDICTS,
  status: "cancelled", // so that c@x.io has no verdict
};
const OURS =
  "mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_is_valid,mailvet_safe_to_send,mailvet_score,mailvet_suggestion,mailvet_provider,mailvet_is_catchall,mailvet_is_disposable,mailvet_is_role_based,mailvet_is_free,mailvet_smtp_code,mailvet_checked_at,mailvet_is_duplicate,mailvet_reason,mailvet_flags,mailvet_mx_host,mailvet_ai_reasons,mailvet_recommendation";
const VALID = "valid,,0.95,true,true,97,,other,false,false,false,false,250,2026-11-15T10:00:00.123Z";
const INVALID =
  "invalid,mailbox_not_found,0.95,false,false,2,,other,false,false,false,false,550,2026-11-15T10:00:00.123Z";
const BLANK = ",".repeat(19);
const ACCEPTED = "The mail server of x.io accepts this mailbox and rejects made-up ones.,,,,send";
const NOT_FOUND = "The mail server of x.io says that this mailbox does not exist.,,,,do_not_send";

async function download(wanted: WantedJob, query = "") {
  const { ask, addJob } = await world.account();
  const answer = await ask(`/bulk/jobs/${await addJob(wanted)}/download${query}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString("utf8") };
}

test("the file comes back with its own rows and cells unchanged, followed by the verdicts", async () => {
  const { status, headers, text } = await download(LIST);
  expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
  expect(text).toBe(
    [
      `id,E-Mail,note,${OURS}`,
      `1,a@x.io,"says ""hi""",${VALID},false,${ACCEPTED}`,
      `2,,'=1+1,${BLANK}`,
      `3,A@x.io,"two\r\nlines",${VALID},true,${ACCEPTED}`,
      `4,b@x.io,,${INVALID},false,${NOT_FOUND}`,
      `5,c@x.io,fine,${BLANK},one more`,
      "",
    ].join("\r\n"),
  );
});

test("result columns of an earlier check are replaced in every format, and similar ones are kept", async () => {
  const header = [
    "mailvet_status",
    "E-Mail",
    " mailvet_score",
    "mailvet_note",
    "mailvet_status (E-Mail)",
    "mailvet_sandbox",
  ];
  const again: WantedJob = {
    ...LIST,
    header,
    columns: header.map((name) => name.trim()),
    rows: [
      ["invalid", "a@x.io", "3", "mine", "risky", "true", "one more"],
      ["valid", "b@x.io"],
    ],
  };
  const kept = ["E-Mail", "mailvet_note"];
  expect((await download(again)).text).toBe(
    [
      `${kept},${OURS}`,
      `a@x.io,mine,${VALID},false,${ACCEPTED},one more`,
      `b@x.io,,${INVALID},false,${NOT_FOUND}`,
      "",
    ].join("\r\n"),
  );
  const [first] = (await download(again, "?format=ndjson")).text.split("\n");
  expect(JSON.parse(first!)).toMatchObject({
    columns: { "E-Mail": "a@x.io", mailvet_note: "mine" },
    status: "valid",
  });
  expect(Object.keys(JSON.parse(first!).columns)).toEqual(kept);
  const [sheet] = await readExcelFile((await download(again, "?format=xlsx")).bytes);
  expect(sheet!.data[0]).toEqual([...kept, ...OURS.split(","), null]); // above one more
  // Whose emails are checked stays, whatever its name.
  const suggested = {
    header: ["mailvet_suggestion"],
    columns: ["mailvet_suggestion"],
    columnNumber: 0,
    rows: [["a@x.io"]],
  };
  expect((await download({ ...LIST, ...suggested })).text.split("\r\n")[0]).toBe(
    `mailvet_suggestion,${OURS}`,
  );
});

test("with a status filter only matching rows are included", async () => {
  const { text } = await download(LIST, "?status=valid");
  const ids = text.split("\r\n").filter((line) => /^\d,/.test(line));
  expect(ids.map((line) => line[0])).toEqual(["1", "3"]);
});

test("a file without a header gets one, and its delimiter is kept", async () => {
  const { text } = await download({
    columns: ["column_1", "column_2"],
    delimiter: ";",
    rows: [["a@x.io", "1,5"]],
    verdicts: VERDICTS,
  });
  const [header, row] = text.split("\r\n");
  expect(header).toMatch(/^column_1;column_2;mailvet_status;mailvet_sub_status;/);
  expect(row).toMatch(/^a@x\.io;"1,5";valid;;0\.95;true;/);
});

test("the download is named after the file, in both forms of Content-Disposition", async () => {
  const nameOf = async (filename: string, query = "") =>
    (await download({ ...LIST, filename }, query)).headers.get("content-disposition");
  expect(await nameOf("list.csv")).toBe(
    `attachment; filename="list-results.csv"; filename*=UTF-8''list-results.csv`,
  );
  expect(await nameOf('Ärger "\\; 名.csv.gz', "?format=ndjson")).toBe(
    `attachment; filename="_rger ___ _-results.ndjson"; filename*=UTF-8''%C3%84rger%20%22%5C%3B%20%E5%90%8D-results.ndjson`,
  );
});

const idsIn = (text: string) => [...text.matchAll(/^(\d),/gm)].map(([, id]) => id);

test("every row is in a file of the archive, also without a verdict", async () => {
  const { bytes } = await download({ ...LIST, filename: "list.csv" }, "?format=zip");
  const files = [...unzip(bytes)].map(([name, text]) => [name, idsIn(text)]);
  expect(files).toEqual([
    ["list-valid.csv", ["1", "3"]],
    ["list-invalid.csv", ["4"]],
    ["list-risky.csv", []],
    ["list-unknown.csv", []],
    ["list-without-verdict.csv", ["2", "5"]],
  ]);
  const filtered = await download({ ...LIST, filename: "list.csv" }, "?format=zip&status=valid");
  expect([...unzip(filtered.bytes).keys()]).toEqual(["list-valid.csv"]);
});

test.each(["row", "email"] as const)(
  "a row that changes while an archive is written is in one file, by %s",
  async (sort) => {
    const { accountId, addJob } = await world.account();
    const { pool, orm } = world.database;
    // Many valid rows, so that the archive is still at its first file when the others change.
    const filler = Array.from({ length: 2_000 }, (_, n) => [
      `f${n}`,
      `f${n}@x.io`,
      randomBytes(1000).toString("hex"),
    ]);
    const rows = [..."12345"].map((id) => [id, `a${id}@x.io`, ""]);
    const verdicts: Record<string, SubStatus> = Object.fromEntries(filler.map(([, email]) => [email, ""]));
    Object.assign(verdicts, { "a1@x.io": "", "a2@x.io": "greylisted", "a3@x.io": "mailbox_not_found" });
    const list = { columns: ["id", "email", "note"], columnNumber: 1, rows: [...rows, ...filler], verdicts };
    const id = await addJob({ ...list, status: "processing" });
    await pool.query(`insert into slices (job_id, number, emails) values ($1, 1, '[[4, "a4@x.io"]]')`, [id]);
    const change = async () => {
      const become = (row: number, status: string) =>
        pool.query("update results set status = $3 where job_id = $1 and row = $2", [id, row, status]);
      await Promise.all([become(1, "unknown"), become(2, "valid"), become(3, "valid")]);
      await orm.insert(results).values(resultRow(id, 4, "a4@x.io", ""));
      await pool.query("delete from slices where job_id = $1", [id]);
    };

    const { content } = await world.download({ accountId, isTest: false }, id, { format: "zip", sort });
    const chunks: Buffer[] = [];
    let isChanged = false;
    for await (const chunk of content) {
      chunks.push(Buffer.from(chunk));
      if (isChanged || Buffer.concat(chunks).length < 100_000) continue;
      isChanged = true;
      await change();
    }
    expect([...unzip(Buffer.concat(chunks))].map(([name, text]) => [name, idsIn(text)])).toEqual([
      ["list-valid-partial.csv", ["1"]],
      ["list-invalid-partial.csv", ["3"]],
      ["list-risky-partial.csv", []],
      ["list-unknown-partial.csv", ["2"]],
      ["list-pending-partial.csv", ["4"]],
      ["list-without-verdict-partial.csv", ["5"]],
    ]);
  },
);

test.each([
  ["a:b.csv", "", "a_b-valid.csv"],
  ["list.csv", "&domain=../../x", "list-valid-.._.._x.csv"],
  ["a\\b.csv", "", "a_b-valid.csv"],
  [
    `${"名".repeat(251)}.csv`,
    `&domain=${"x".repeat(255)}`,
    `${"名".repeat(40)}-valid-${"x".repeat(104)}.csv`,
  ],
])("an archive of %s%s has names that every system can unpack", async (filename, query, name) => {
  const { status, bytes } = await download({ ...LIST, filename }, `?format=zip&status=valid${query}`);
  expect(status).toBe(200);
  expect([...unzip(bytes).keys()]).toEqual([name]);
});

test("NDJSON has the same rows as objects, with typed verdicts", async () => {
  const { headers, text } = await download(LIST, "?format=ndjson");
  expect(headers.get("content-type")).toBe("application/x-ndjson");
  const rows = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows).toHaveLength(5);
  expect(rows[0]).toEqual({
    row: 1,
    email: "a@x.io",
    columns: { id: "1", "E-Mail": "a@x.io", note: 'says "hi"' },
    status: "valid",
    sub_status: "",
    confidence: 0.95,
    is_valid: true,
    safe_to_send: true,
    score: 97,
    suggestion: null,
    provider: "other",
    is_catchall: false,
    is_disposable: false,
    is_role_based: false,
    is_free: false,
    smtp_code: 250,
    checked_at: "2026-11-15T10:00:00.123Z",
    is_duplicate: false,
    reason: expect.stringContaining("accepts"),
    flags: [],
    mx_host: "",
    ai_reasons: [],
    recommendation: "send",
  });
  expect(rows[1]).toMatchObject({ email: "", columns: { note: "=1+1" }, status: null, is_duplicate: null });
  expect(rows[2]).toMatchObject({ row: 3, email: "A@x.io", status: "valid", is_duplicate: true });
  expect(rows[3].columns).toEqual({ id: "4", "E-Mail": "b@x.io", note: "" });
  expect(rows[4]).toMatchObject({ email: "c@x.io", surplus_cells: ["one more"], status: null });
});

test("a workbook is readable by another library, with text as text and numbers as numbers", async () => {
  const odd = ["6", "b@x.io", " <b>&amp; \u0007_x0041_ 名 "];
  const { headers, bytes } = await download({ ...LIST, rows: [...ROWS, odd] }, "?format=xlsx");
  expect(headers.get("content-type")).toBe(
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  );
  const [sheet] = await readExcelFile(Readable.from([bytes]), { trim: false });
  expect(sheet?.sheet).toBe("Results");
  const [header, first, second, , fourth, fifth, last] = sheet!.data;
  expect(header?.slice(0, 4)).toEqual(["id", "E-Mail", "note", "mailvet_status"]);
  expect(first?.slice(0, 9)).toEqual(["1", "a@x.io", 'says "hi"', "valid", null, 0.95, true, true, 97]);
  expect(first?.slice(15, 18)).toEqual([250, "2026-11-15T10:00:00.123Z", false]);
  expect(second?.slice(0, 4)).toEqual(["2", null, "=1+1", null]);
  expect(fourth?.slice(0, 4)).toEqual(["4", "b@x.io", null, "invalid"]);
  expect(fifth?.at(-1)).toBe("one more");
  expect(last?.[2]).toBe(" <b>&amp; _x0041_ 名 ");
});

test("more rows than a sheet can have are refused before the first byte, with CSV as the alternative", async () => {
  const { status, text } = await download({ ...LIST, totalRows: 1_048_576 }, "?format=xlsx");
  expect([status, JSON.parse(text)]).toMatchObject([
    413,
    { code: "payload_too_large", detail: expect.stringContaining("1,048,576 rows") },
  ]);
  expect(JSON.parse(text).detail).toContain("Download it as CSV");
});

test("a download whose rows are deleted meanwhile is aborted instead of ending as if complete", async () => {
  const { begin, addJob } = await world.account();
  const { pool, blobs } = world.database;
  const deleteUploads = async () => {
    await pool.query("delete from uploads");
    for await (const { key } of blobs.list("uploads")) await blobs.delete(key);
  };
  for (const erase of [deleteUploads, () => pool.query("update jobs set expires_at = now()")]) {
    const id = await addJob(manyRows(40_000));
    const answer = await begin(`/bulk/jobs/${id}/download`); // far more than the socket buffers hold
    await erase();
    await expect(answer.toArray()).rejects.toThrow("aborted");
    expect(world.failures.at(-1)).toMatchObject({ code: "results_expired" });
  }
});

test("a slow reader slows the server down, and a disconnect ends the work", async () => {
  const { ask, begin, addJob } = await world.account();
  const id = await addJob(manyRows(40_000));
  let queries = 0;
  world.database.pool.on("acquire", () => queries++);
  const begun = await Promise.all([1, 2, 3, 4].map(() => begin(`/bulk/jobs/${id}/download`)));
  expect(begun.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  const fifth = await ask(`/bulk/jobs/${id}/download`);
  expect([fifth.status, await fifth.json()]).toMatchObject([429, { code: "rate_limited" }]);
  let before: number;
  do {
    before = queries;
    await later(300); // timing: until no more queries start
  } while (queries > before);
  expect(queries).toBeLessThan(4 * 40); // each of the forty parts takes more than one

  for (const answer of begun) answer.destroy();
  await expect.poll(async () => (await ask(`/bulk/jobs/${id}/download?status=risky`)).status).toBe(200);
  expect(world.failures).not.toContainEqual(expect.objectContaining({ code: "ERR_STREAM_PREMATURE_CLOSE" }));
});

test("twenty thousand rows, every fifth a duplicate, arrive complete and in order", async () => {
  const { ask, addJob } = await world.account();
  const emailAt = (row: number) => `person${row % 5 === 0 ? row - 1 : row}@x.io`;
  const rows = Array.from({ length: 20_000 }, (_, n) => [String(n + 1), emailAt(n + 1)]);
  const id = await addJob({ columns: ["id", "email"], columnNumber: 1, rows });
  await world.database.pool.query(
    `insert into results
     select $1, n, 'person' || n || '@x.io', 'valid', '', 0.95, 97, true, true, null, 'other', false, false, false, false,
            250, now() from generate_series(1, 20000) n where n % 5 <> 0`,
    [id],
  );
  const csv = (await (await ask(`/bulk/jobs/${id}/download`)).text()).trimEnd().split("\r\n").slice(1);
  expect(csv).toHaveLength(20_000);
  const isRight = (line: string, row: number) =>
    line.startsWith(`${row},${emailAt(row)},valid,,0.95,`) &&
    line.includes(`Z,${row % 5 === 0},`) &&
    line.endsWith(",send");
  expect(csv.every((line, n) => isRight(line, n + 1))).toBe(true);
  const objects = (await (await ask(`/bulk/jobs/${id}/download?format=ndjson`)).text()).trimEnd().split("\n");
  expect([objects.length, JSON.parse(objects.at(-1)!)]).toMatchObject([
    20_000,
    { row: 20_000, status: "valid" },
  ]);

  // After some executions PostgreSQL uses a generic plan, which must be as good.
  for (let round = 0; round < 8; round++) {
    const page = await ask(`/bulk/jobs/${id}/results?skip=19998&status=valid`);
    expect(page.headers.get("x-total-count")).toBe("20000");
    expect(((await page.json()) as JobResult[]).map(({ row, is_duplicate }) => [row, is_duplicate])).toEqual([
      [19_999, false],
      [20_000, true],
    ]);
  }
});

test("a workbook of several thousand rows is complete", async () => {
  const { bytes } = await download(manyRows(2500), "?format=xlsx");
  const [sheet] = await readExcelFile(Readable.from([bytes]));
  expect(sheet?.data.length).toBe(2501);
  expect(sheet?.data.at(-1)?.[0]).toBe("person2499@x.io");
});

/** More than twenty megabytes without verdicts: only the size matters. */
function manyRows(count: number): WantedJob {
  const padding = "x".repeat(600);
  return {
    columns: ["email", "padding"],
    rows: Array.from({ length: count }, (_, n) => [`person${n}@x.io`, padding]),
    status: "cancelled",
  };
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
