/** Real-world files: each is uploaded, previewed, confirmed, validated and downloaded row by row. */
import { gzipSync } from "node:zlib";
import { type Job, RESULT_COLUMNS, type SubStatus, type UploadPreview } from "@mailvet/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Lists, listsOf } from "./jobs-http-world.ts";
import { openService, type TestService } from "./service.ts";

type NastyFile = {
  what: string;
  filename?: string;
  bytes: string | Uint8Array<ArrayBuffer>;
  /** Column names; the downloaded rows without the verdict columns. */
  columns: string[];
  hasHeader?: false;
  emailColumn: string;
  delimiter?: string;
  rows: string[][];
  /** For each row the validated text and its verdict; undefined: the cell is empty. */
  verdicts: ([email: string, SubStatus, "again"?] | undefined)[];
};

const V = "valid@team.example";
const FULL = "mailbox-full@team.example";
const GONE = "mailbox-not-found@team.example";
const BOTH: NastyFile["verdicts"] = [
  [V, ""],
  [FULL, "mailbox_full"],
];

/** In Windows-1252, which equals Latin-1 for these characters. */
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"));
const csv = (rows: string[][], delimiter = ",") =>
  rows.map((cells) => `${cells.join(delimiter)}\r\n`).join("");
const wide = (cellAt: (column: number) => string) => Array.from({ length: 200 }, (_, n) => cellAt(n + 1));

const FILES: readonly NastyFile[] = [
  {
    what: "UTF-16, as Excel saves Unicode text",
    filename: "Kunden.txt",
    bytes: utf16(`Name\tE-Mail\r\nJürgen Groß\t${V}\r\n名前\t${FULL}\r\n`),
    columns: ["Name", "E-Mail"],
    emailColumn: "E-Mail",
    delimiter: "\t",
    rows: [
      ["Jürgen Groß", V],
      ["名前", FULL],
    ],
    verdicts: BOTH,
  },
  {
    what: "semicolons, because the comma is for decimals, in Windows-1252",
    bytes: latin1(`Name;Umsatz;E-Mail\r\nMüller & Söhne;1.234,50;${V}\r\nJosé Núñez;7,00;${FULL}\r\n`),
    columns: ["Name", "Umsatz", "E-Mail"],
    emailColumn: "E-Mail",
    delimiter: ";",
    rows: [
      ["Müller & Söhne", "1.234,50", V],
      ["José Núñez", "7,00", FULL],
    ],
    verdicts: BOTH,
  },
  {
    what: "no header",
    bytes: csv([
      ["1", V, "Rome"],
      ["2", FULL, "Oslo"],
    ]),
    columns: ["column_1", "column_2", "column_3"],
    hasHeader: false,
    emailColumn: "column_2",
    rows: [
      ["1", V, "Rome"],
      ["2", FULL, "Oslo"],
    ],
    verdicts: BOTH,
  },
  {
    what: "quotes with line breaks",
    bytes: `email,address\r\n${V},"12, Long Lane\r\nLondon ""N1"""\r\n"${FULL}","a\nb\n\nc"\r\n`,
    columns: ["email", "address"],
    emailColumn: "email",
    rows: [
      [V, '12, Long Lane\r\nLondon "N1"'],
      [FULL, "a\nb\n\nc"],
    ],
    verdicts: BOTH,
  },
  {
    what: "one column",
    bytes: `contacts\n${V}\n${FULL}\nno address\n`,
    columns: ["contacts"],
    emailColumn: "contacts",
    rows: [[V], [FULL], ["no address"]],
    verdicts: [...BOTH, ["no address", "syntax_error"]],
  },
  {
    what: "200 columns",
    bytes: csv([
      wide((n) => `c${n}`),
      wide((n) => (n === 137 ? V : `a${n}`)),
      wide((n) => (n === 137 ? FULL : "")),
    ]),
    columns: wide((n) => `c${n}`),
    emailColumn: "c137",
    rows: [wide((n) => (n === 137 ? V : `a${n}`)), wide((n) => (n === 137 ? FULL : ""))],
    verdicts: BOTH,
  },
  {
    what: "empty cells, and rows that are too short",
    bytes: `name,email,note\n,,\nAnn,${V},\nBo,,no email\nCy\n,${FULL}\n ,   ,x\n`,
    columns: ["name", "email", "note"],
    emailColumn: "email",
    rows: [
      ["", "", ""],
      ["Ann", V, ""],
      ["Bo", "", "no email"],
      ["Cy", "", ""],
      ["", FULL, ""],
      [" ", "   ", "x"],
    ],
    verdicts: [undefined, [V, ""], undefined, undefined, [FULL, "mailbox_full"], undefined],
  },
  {
    what: "the same addresses again, in other letters",
    bytes: csv([
      ["email"],
      [V],
      ["VALID@Team.Example"],
      [GONE],
      ["valid@team.EXAMPLE"],
      ["Mailbox-Not-Found@team.example"],
    ]),
    columns: ["email"],
    emailColumn: "email",
    rows: [[V], ["VALID@Team.Example"], [GONE], ["valid@team.EXAMPLE"], ["Mailbox-Not-Found@team.example"]],
    verdicts: [
      [V, ""],
      ["VALID@Team.Example", "", "again"],
      [GONE, "mailbox_not_found"],
      ["valid@team.EXAMPLE", "", "again"],
      ["Mailbox-Not-Found@team.example", "mailbox_not_found", "again"],
    ],
  },
  {
    what: "addresses with display names",
    bytes: `who\nAnn <${V}>\n"""Full, Bo"" <${FULL}>"\nmailto:${GONE}\n" <${V}> "\n`,
    columns: ["who"],
    emailColumn: "who",
    rows: [[`Ann <${V}>`], [`"Full, Bo" <${FULL}>`], [`mailto:${GONE}`], [` <${V}> `]],
    verdicts: [...BOTH, [GONE, "mailbox_not_found"], [V, "", "again"]],
  },
  {
    what: "one row, without a line break",
    bytes: GONE,
    columns: ["column_1"],
    hasHeader: false,
    emailColumn: "column_1",
    rows: [[GONE]],
    verdicts: [[GONE, "mailbox_not_found"]],
  },
  {
    what: "packed with gzip",
    filename: "März.csv.gz",
    bytes: new Uint8Array(gzipSync(`\ufeffemail,id\n${V},1\n${FULL},2\n`)),
    columns: ["email", "id"],
    emailColumn: "email",
    rows: [
      [V, "1"],
      [FULL, "2"],
    ],
    verdicts: BOTH,
  },
];

let service: TestService;
let lists: Lists;
const previews = new Map<NastyFile, UploadPreview>();
const jobs = new Map<NastyFile, Job>();
beforeAll(async () => {
  service = await openService();
  const { makeKey } = await service.openAccount({ credits: 0 });
  lists = listsOf(service, await makeKey({ mode: "test" }));
  for (const file of FILES) {
    const preview = await lists.upload(file.bytes, file.filename);
    previews.set(file, preview);
    jobs.set(file, await lists.confirm(preview)); // all jobs run concurrently
  }
});
afterAll(() => service[Symbol.asyncDispose]());

describe.each(FILES)("$what", (file) => {
  const { columns, rows, verdicts, emailColumn, delimiter = "," } = file;
  const emails = verdicts.filter((verdict) => verdict !== undefined);

  test("the preview describes its contents", () => {
    expect(previews.get(file)).toMatchObject({
      filename: file.filename ?? "list.csv",
      columns,
      suggested_email_column: emailColumn,
      has_header: file.hasHeader ?? true,
      total_rows: rows.length,
      unique_count_by_column: { [emailColumn]: emails.filter(([, , again]) => !again).length },
    });
    const shown = previews.get(file)!.sample_rows;
    expect(shown.map((cells) => columns.map((_, n) => cells[n] ?? ""))).toEqual(rows.slice(0, 5));
  });

  test("every row comes back in order with its verdict", async () => {
    const { id } = jobs.get(file)!;
    expect(await lists.ended(id)).toMatchObject({
      status: "completed",
      total_rows: rows.length,
      total_emails: emails.length,
      unique_emails: emails.filter(([, , again]) => !again).length,
    });
    const [header, ...lines] = await lists.download(id, "", delimiter);
    const width = columns.length;
    expect(header!.slice(0, width)).toEqual(columns);
    expect(lines.map((cells) => cells.slice(0, width))).toEqual(rows);
    const blanks = Array(RESULT_COLUMNS.length + 1).fill(""); // and mailvet_sandbox
    const duplicate = RESULT_COLUMNS.indexOf("is_duplicate");
    lines.forEach((cells, n) => {
      const verdict = verdicts[n];
      const ours = cells.slice(width);
      if (!verdict) expect(ours).toEqual(blanks);
      else
        expect([ours.length, ours[1], ours[duplicate]]).toEqual([
          blanks.length,
          verdict[1],
          String(verdict[2] === "again"),
        ]);
    });
    const { body: results } = await lists.ask(`/bulk/jobs/${id}/results?limit=100`);
    expect(results).toMatchObject(
      verdicts.flatMap((verdict, n) =>
        verdict ? [{ row: n + 1, email: verdict[0], sub_status: verdict[1] }] : [],
      ),
    );
  });
});
