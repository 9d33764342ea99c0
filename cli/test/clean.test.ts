/** mailvet clean with the local engine against the lab. */
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openListFile, VERDICT_COLUMNS } from "@mailvet/engine/list-file";
import { greylists, type Lab, mailDomain, openLab, type Temperament } from "@mailvet/lab";
import { afterAll, expect, test } from "vitest";
import { until } from "../../engine/test/until.ts";
import { rowOf, xlsxOf } from "../../engine/test/workbooks.ts";
import { canMount, mountSmall } from "../../service/test/small-disk.ts";
import { mailvet, startMailvet } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-clean-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const envOf = (lab: Lab) => ({
  ...lab.env,
  EHLO_NAME: "probe.test",
  MAIL_FROM: "probe@probe.test",
});

const PEOPLE = "name,email\nAnn,ann@shop.io\n";

type Table = { header: string[] | undefined; delimiter: string; rows: string[][] };

async function tableIn(bytes: Buffer): Promise<Table> {
  async function* whole() {
    yield bytes;
  }
  const { header, delimiter, batches } = await openListFile(whole(), { maxTextBytes: 1e8, maxRows: 1e6 });
  const rows: string[][] = [];
  for await (const batch of batches) rows.push(...batch);
  return { header, delimiter, rows };
}

const verdictsIn = ({ rows }: Table, width: number) =>
  rows.map((row) => row.slice(width, width + VERDICT_COLUMNS.length));

test("a sheet of a workbook is read", async () => {
  await using lab = await openLab({ "shop.test": mailDomain({ users: ["ann"] }) });
  const workbook = await xlsxOf({
    sheets: { Cover: rowOf("x"), People: rowOf("name", "email") + rowOf("Ann", "ann@shop.test") },
  });
  const list = fileOf("people-book.xlsx", workbook);
  const { code } = await mailvet(["clean", list, "--sheet", "People"], { env: envOf(lab) });
  expect(code).toBe(0);
  const { header, rows } = await tableIn(readFileSync(join(folder, "people-book-results.csv")));
  expect([header?.slice(0, 3), rows[0]?.slice(0, 3)]).toEqual([
    ["name", "email", "mailvet_status"],
    ["Ann", "ann@shop.test", "valid"],
  ]);
});

test("a file is written with its own rows in order and a verdict per row", async () => {
  let attempts = 0;
  const greylistsEveOnce: Temperament = {
    replies: { greylisted: "450 4.2.0 <{address}>: Greylisted, try again in 1 seconds" },
    on: {
      rcpt: (session) =>
        session.address.startsWith("eve@") && ++attempts === 1
          ? { reply: session.reply("greylisted") }
          : undefined,
    },
  };
  await using lab = await openLab({
    "shop.test": mailDomain({ users: ["ann", "dee"] }),
    "wary.test": mailDomain({ users: ["eve"], temper: greylistsEveOnce }),
  });
  const lines = [
    "name,email",
    "Ann,ann@shop.test",
    "Eve,eve@wary.test",
    "Nobody,",
    "Bob,bob@shop.test",
    "Ann again,Ann <ANN@shop.test>",
    "Eve again,EVE@WARY.TEST",
    "Dee,dee@shop.test",
  ];
  const list = fileOf("people-list.csv", lines.join("\n"));

  const { code, stderr } = await mailvet(["clean", list], { env: envOf(lab) });

  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("people-list-results.csv") });
  expect(stderr).toMatch(
    /4 checked in .*: 3 valid, 1 invalid, 0 risky, 0 unknown; 2 duplicates; 1 without an email/,
  );
  const table = await tableIn(readFileSync(join(folder, "people-list-results.csv")));
  expect(table.header).toEqual(["name", "email", ...VERDICT_COLUMNS]);
  expect(table.rows.map((row) => row.slice(0, 2).join())).toEqual(lines.slice(1));
  const seen = verdictsIn(table, 2).map((cells) => [
    cells[0],
    cells[1],
    cells[VERDICT_COLUMNS.indexOf("mailvet_is_duplicate")],
  ]);
  expect(seen).toEqual([
    ["valid", "", "false"],
    ["valid", "", "false"],
    ["", "", ""],
    ["invalid", "mailbox_not_found", "false"],
    ["valid", "", "true"],
    ["valid", "", "true"],
    ["valid", "", "false"],
  ]);
  expect(attempts).toBe(2); // greylisted, then accepted: the duplicate row is not asked about
});

test("an unusable file is rejected with a message, and nothing is written", async () => {
  const own = mkdtempSync(join(folder, "refused-"));
  const lists = { "empty.csv": "", "people.csv": PEOPLE };
  for (const [name, content] of Object.entries(lists)) writeFileSync(join(own, name), content);
  const [empty, column] = await Promise.all([
    mailvet(["clean", join(own, "empty.csv")]),
    mailvet(["clean", join(own, "people.csv"), "--column", "mail"]),
  ]);
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringMatching(/^mailvet: empty\.csv: .*empty/) });
  expect(column).toMatchObject({ code: 2, stderr: expect.stringContaining('columns: "name", "email"') });
  expect(readdirSync(own)).toEqual(Object.keys(lists));
});

test("a list that cannot be read is named, not the results file beside it", async () => {
  const missing = await mailvet(["clean", "/proc/none.csv"]);
  expect(missing).toMatchObject({
    code: 2,
    stderr: "mailvet: cannot read the list /proc/none.csv: no such file or directory\n",
  });
  const directory = await mailvet(["clean", "/proc"]);
  expect(directory.stderr).toBe("mailvet: cannot read the list /proc: it is a directory\n");
  const unwritable = await mailvet(["clean", fileOf("elsewhere.csv", PEOPLE), "--out", "/proc/out.csv"]);
  expect(unwritable.stderr).toMatch(
    /^mailvet: cannot write the results to \/proc\/out\.csv: [a-z ]+; choose a file/,
  );
});

test("an existing results file is replaced only with --force", async () => {
  const list = fileOf("twice.csv", PEOPLE);
  const out = fileOf("precious.csv", "mine");
  const refused = await mailvet(["clean", list, "--level", "syntax", "--out", out]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("or replace it with --force") });
  expect(readFileSync(out, "utf8")).toBe("mine");
  const forced = await mailvet(["clean", list, "--level", "syntax", "--out", out, "--force"]);
  expect(forced.code).toBe(0);
  expect((await tableIn(readFileSync(out))).rows[0]!.slice(0, 2)).toEqual(["Ann", "ann@shop.io"]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test("standard input can be written to standard output", async () => {
  const [piped, nowhere] = await Promise.all([
    mailvet(["clean", "-", "--level", "syntax", "--out", "-"], { input: PEOPLE }),
    mailvet(["clean", "-", "--level", "syntax"], { input: PEOPLE }),
  ]);
  const { rows } = await tableIn(Buffer.from(piped.stdout));
  expect(rows).toHaveLength(1);
  expect(rows[0]!.slice(0, 4)).toEqual(["Ann", "ann@shop.io", "unknown", "smtp_skipped"]);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("needs --out FILE") });
});

/** Starts the command and sends SIGINT when the condition holds. */
async function interrupt(list: string, lab: Lab, condition: () => boolean, args: string[] = []) {
  const child = startMailvet(["clean", list, ...args], envOf(lab));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const watch = setInterval(() => {
    if (condition()) child.kill("SIGINT");
    if (condition()) clearInterval(watch);
  }, 20);
  const [code] = await once(child, "close");
  clearInterval(watch);
  return { code, stderr };
}

const hasReceived = (lab: Lab, host: string, line: RegExp) =>
  lab.received(host).some((received) => line.test(received));

test("Ctrl-C writes incomplete results under another name", async () => {
  await using lab = await openLab({
    "shop.test": mailDomain({ users: ["ann"] }),
    "slow.test": mailDomain({ users: ["bob"], latencyMs: 20_000 }),
  });
  const list = fileOf("stopped.csv", "email\nann@shop.test\nbob@slow.test\n");
  const { code, stderr } = await interrupt(list, lab, () => hasReceived(lab, "mx.shop.test", /^QUIT/));
  expect(code).toBe(130);
  expect(stderr).toContain("rows that were not checked have no verdict");
  expect(existsSync(join(folder, "stopped-results.csv"))).toBe(false);
  const { rows } = await tableIn(readFileSync(join(folder, "stopped-results.partial.csv")));
  expect(rows.map((row) => row.slice(0, 2))).toEqual([
    ["ann@shop.test", "valid"],
    ["bob@slow.test", ""],
  ]);
});

test("Ctrl-C during the retries writes the complete file", async () => {
  await using lab = await openLab({
    "wary.test": mailDomain({ users: ["eve"], temper: [greylists({ delayMs: 60_000 })] }),
  });
  const list = fileOf("retries.csv", "email\neve@wary.test\n");
  const { code, stderr } = await interrupt(list, lab, () => hasReceived(lab, "mx.wary.test", /^QUIT/));
  expect(code).toBe(130);
  expect(stderr).toContain("every row has a verdict");
  const { rows } = await tableIn(readFileSync(join(folder, "retries-results.csv")));
  expect(rows[0]!.slice(0, 3)).toEqual(["eve@wary.test", "unknown", "greylisted"]);
});

test("results that cannot be written end with exit code 1 and one line", async () => {
  const list = fileOf("unwritten.csv", PEOPLE);
  const clean = ["clean", list, "--level", "syntax", "--out", "-"];
  const nowhere = { TMPDIR: mkdtempSync(join(folder, "full-")) };
  const full = await mailvet(clean, { setup: "exec >/dev/full", env: nowhere });
  expect(full.code).toBe(1);
  const [, message, ...more] = full.stderr.split("\n");
  expect(message).toMatch(
    /^mailvet: cannot write the results: no space left on device; the results are in \S+\.csv$/,
  );
  expect(more).toEqual([""]);
  const { rows } = await tableIn(readFileSync(/the results are in (\S+)$/.exec(message!)![1]!));
  expect(rows).toHaveLength((await tableIn(readFileSync(list))).rows.length);
  const { code, stderr } = await mailvet(clean, { env: { TMPDIR: join(folder, "missing") } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/\nmailvet: cannot open \S+\/missing\/mailvet-\w+: no such file or directory\n$/);
});

test("the results of a list that is read in several pieces are kept as well", async () => {
  const rows = Array.from({ length: 2_000 }, (_, n) => `ann${n}@shop.io,${"x".repeat(400)}\n`);
  const list = fileOf("unwritten-long.csv", `email,note\n${rows.join("")}`);
  const env = { TMPDIR: mkdtempSync(join(folder, "full-")) };
  const clean = ["clean", list, "--level", "syntax", "--out", "-"];
  const { code, stderr } = await mailvet(clean, { setup: "exec >/dev/full", env });
  expect(code).toBe(1);
  const [, rescued] = /; the results are in (\S+)\n$/.exec(stderr) ?? [];
  expect(rescued, stderr).toBeDefined();
  expect((await tableIn(readFileSync(rescued!))).rows).toHaveLength(rows.length);
});

test("results whose folder is gone by the end are kept in the temporary folder", async () => {
  let proceed = () => {};
  const isGone = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const waits: Temperament = { on: { mail: (session) => ({ until: isGone, reply: session.reply("mail") }) } };
  await using lab = await openLab({ "shop.test": mailDomain({ users: ["ann"], temper: waits }) });
  const list = fileOf("homeless.csv", "email\nann@shop.test\n");
  const place = mkdtempSync(join(folder, "gone-"));
  const args = ["clean", list, "--out", join(place, "out.csv")];
  const running = mailvet(args, { env: { ...envOf(lab), TMPDIR: folder } });
  await until(() => hasReceived(lab, "mx.shop.test", /^MAIL/));
  rmSync(place, { recursive: true });
  proceed();
  const { code, stderr } = await running;
  const [, rescued] = /no such file or directory; the results are in (\S+)\n$/.exec(stderr)!;
  const { rows } = await tableIn(readFileSync(rescued!));
  expect([code, rows[0]!.slice(0, 2)]).toEqual([1, ["ann@shop.test", "valid"]]);
});

/** Enough for several blocks of verdicts on disk. */
const LONG_LIST = `email\n${Array.from({ length: 8000 }, (_, n) => `ann${n}@shop.io`).join("\n")}\n`;
const checkedIn = ({ rows }: Table) => rows.filter(([, status]) => status !== "").length;

test("a full temporary folder stops the checks, and the results so far are written", async () => {
  const list = fileOf("crowded.csv", LONG_LIST);
  const clean = ["clean", list, "--level", "syntax", "--out", "-"];
  const limited = await mailvet(clean, { env: { TMPDIR: folder }, setup: "trap '' XFSZ && ulimit -f 1000" });
  expect(limited.code).toBe(1);
  expect(limited.stderr).toContain(
    `\nmailvet: cannot write a temporary file in ${folder}: file too large; stopped early; rows that were not checked have no verdict\n`,
  );
  const table = await tableIn(Buffer.from(limited.stdout));
  expect(table.rows).toHaveLength(8000);
  expect(checkedIn(table)).toBeGreaterThan(500);
});

test.skipIf(!canMount)("results that do not fit on the disk of the output are kept", async () => {
  const list = fileOf("large.csv", LONG_LIST);
  using disk = mountSmall("512k");
  const out = join(disk.folder, "out.csv");
  const clean = ["clean", list, "--level", "syntax", "--out", out];
  const { code, stderr } = await mailvet(clean, { env: { TMPDIR: folder } });
  expect(code).toBe(1);
  const [, rescued] = /no space left on device; the results are in (\S+)\n$/.exec(stderr)!;
  expect(checkedIn(await tableIn(readFileSync(rescued!)))).toBe(8000);
  expect(readdirSync(disk.folder)).toEqual([]);

  // The temporary folder has room for the verdicts, and not for the results beside them.
  using temporary = mountSmall("5m");
  const both = await mailvet(clean, { env: { TMPDIR: temporary.folder } });
  expect(both.code).toBe(1);
  const part = join(disk.folder, "out.partial.csv");
  expect(both.stderr).toContain(`the first rows are in ${part}, the others are lost\n`);
  const table = await tableIn(readFileSync(part));
  expect(table.rows.length).toBeGreaterThan(500);
  expect(new Set(table.rows.map((row) => row.length)).size).toBe(1); // whole rows
  expect(readdirSync(temporary.folder)).toEqual([]);
});
