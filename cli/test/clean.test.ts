/** mailvet clean with the local engine against the lab. */
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openListFile, VERDICT_COLUMNS } from "@mailvet/engine/list-file";
import { greylists, type Lab, mailDomain, openLab, type Temperament } from "@mailvet/lab";
import { afterAll, expect, test } from "vitest";
import { rowOf, xlsxOf } from "../../engine/test/workbooks.ts";
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
