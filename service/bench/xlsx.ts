/**
 * `npm run bench:xlsx [ROWS]`: a list as CSV and the same as XLSX, read row by row in a process of its own each. Prints
 * time, CPU time and peak memory, and their ratio.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { csvLine, openListFile } from "@mailvet/engine/list-file";
import { ZipFile } from "yazl";

type Measured = { rows: number; seconds: number; cpuSeconds: number; rssMb: number };

const LIMITS = { maxTextBytes: 1024 ** 3, maxRows: 10_000_000 };
const [first, path] = process.argv.slice(2);

async function compare(rows: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "mailvet-bench-"));
  try {
    const csv = join(folder, "list.csv");
    const xlsx = join(folder, "list.xlsx");
    await pipeline(csvOf(rows), createWriteStream(csv));
    await writeXlsx(rows, xlsx);
    const found: Measured[] = [];
    for (const [name, file] of Object.entries({ csv, xlsx })) {
      const measured = await measure(file);
      const { size } = await stat(file);
      found.push(measured);
      console.log(
        `${name.padEnd(5)} ${(size / 1e6).toFixed(1)} MB, ${measured.rows} rows: ${measured.seconds.toFixed(2)} s, CPU ${measured.cpuSeconds.toFixed(2)} s, peak RSS ${measured.rssMb.toFixed(0)} MB`,
      );
    }
    const [one, two] = found as [Measured, Measured];
    const ratio = (of: (measured: Measured) => number) => (of(two) / of(one)).toFixed(2);
    console.log(
      `ratio XLSX : CSV  time ${ratio(({ seconds }) => seconds)}, CPU ${ratio(({ cpuSeconds }) => cpuSeconds)}, RSS ${ratio(({ rssMb }) => rssMb)}`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(file: string): Promise<Measured> {
  const child = fork(fileURLToPath(import.meta.url), ["--read", file]);
  const [measured] = (await once(child, "message")) as [Measured];
  return measured;
}

async function read(file: string): Promise<Measured> {
  const startedAt = performance.now();
  const list = await openListFile(createReadStream(file), LIMITS);
  let rows = 0;
  for await (const batch of list.batches) rows += batch.length;
  const seconds = (performance.now() - startedAt) / 1000;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { rows, seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, rssMb: maxRSS / 1024 };
}

const HEADER = ["id", "name", "email", "city", "since", "note"];

function cellsOf(row: number): string[] {
  return [
    String(row),
    `Person ${row}`,
    `person.${row}@company-${row % 5000}.example`,
    ["Rome", "Oslo", "Porto"][row % 3]!,
    "2024-03-01",
    row % 7 === 0 ? 'said "yes", twice' : "",
  ];
}

function* csvOf(rows: number): Generator<string> {
  yield csvLine(HEADER, ",");
  for (let row = 1; row <= rows; row++) yield csvLine(cellsOf(row), ",");
}

/** With shared strings, as Excel writes it. */
async function writeXlsx(rows: number, file: string): Promise<void> {
  const strings = new Map<string, number>();
  const text = (value: string) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const shared = (value: string) => {
    const known = strings.get(value);
    if (known !== undefined) return known;
    strings.set(value, strings.size);
    return strings.size - 1;
  };
  const rowXml = (number: number, cells: readonly string[]) =>
    `<row r="${number}">${cells
      .map((cell, n) => {
        const at = `${String.fromCharCode(65 + n)}${number}`;
        if (cell === "") return "";
        if (n === 0 && number > 1) return `<c r="${at}"><v>${cell}</v></c>`;
        return `<c r="${at}" t="s"><v>${shared(cell)}</v></c>`;
      })
      .join("")}</row>`;
  let sheet = `<worksheet><sheetData>${rowXml(1, HEADER)}`;
  const chunks: Buffer[] = [];
  for (let row = 1; row <= rows; row++) {
    sheet += rowXml(row + 1, cellsOf(row));
    if (sheet.length > 1e6) {
      chunks.push(Buffer.from(sheet));
      sheet = "";
    }
  }
  chunks.push(Buffer.from(`${sheet}</sheetData></worksheet>`));
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`;
  const zip = new ZipFile();
  const add = (name: string, content: string | Buffer) => zip.addBuffer(Buffer.from(content), name);
  add("_rels/.rels", `<R>${relation("r1", "officeDocument", "xl/workbook.xml")}</R>`);
  add("xl/workbook.xml", '<workbook xmlns:r="r"><sheets><sheet name="List" r:id="r1"/></sheets></workbook>');
  add(
    "xl/_rels/workbook.xml.rels",
    `<R>${relation("r1", "worksheet", "sheet.xml")}${relation("r2", "sharedStrings", "strings.xml")}</R>`,
  );
  add("xl/sheet.xml", Buffer.concat(chunks));
  add(
    "xl/strings.xml",
    `<sst>${[...strings.keys()].map((value) => `<si><t>${text(value)}</t></si>`).join("")}</sst>`,
  );
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

if (path !== undefined) process.send!(await read(path));
else await compare(Number(first ?? 100_000));
