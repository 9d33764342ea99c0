/** Stories of whole files with the engine on this machine, and nasty files among them. */
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openListFile, VERDICT_COLUMNS } from "@mailvet/engine/list-file";
import { greylists, type Lab, mailDomain, openLab, type Temperament } from "@mailvet/lab";
import { afterAll, expect, test } from "vitest";
import { mailvet, startMailvet } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-clean-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const envOf = (lab: Lab) => ({
  DNS_SERVERS: lab.nameServer,
  SMTP_PORT: String(lab.smtpPort),
  EGRESS_ALLOW: "127.0.0.0/8",
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

test("a file comes back with its own rows in their order, each with what the mail servers say", async () => {
  let visits = 0;
  const putsEveOffOnce: Temperament = {
    words: { greylisted: "450 4.2.0 <{address}>: Greylisted, try again in 1 seconds" },
    on: {
      rcpt: (visit) =>
        visit.address.startsWith("eve@") && ++visits === 1 ? { reply: visit.say("greylisted") } : undefined,
    },
  };
  await using lab = await openLab({
    "shop.test": mailDomain({ users: ["ann", "dee"] }),
    "wary.test": mailDomain({ users: ["eve"], temper: putsEveOffOnce }),
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
  const list = fileOf("story.csv", lines.join("\n"));

  const { code, stderr } = await mailvet(["clean", list], { env: envOf(lab) });

  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("story-results.csv") });
  expect(stderr).toMatch(
    /4 checked in .*: 3 valid, 1 invalid, 0 risky, 0 unknown; 2 repeated; 1 without an email/,
  );
  const table = await tableIn(readFileSync(join(folder, "story-results.csv")));
  expect(table.header).toEqual(["name", "email", ...VERDICT_COLUMNS]);
  expect(table.rows.map((row) => row.slice(0, 2).join())).toEqual(lines.slice(1));
  const seen = verdictsIn(table, 2).map((cells) => [cells[0], cells[1], cells.at(-1)]);
  expect(seen).toEqual([
    ["valid", "", "false"],
    ["valid", "", "false"],
    ["", "", ""],
    ["invalid", "mailbox_not_found", "false"],
    ["valid", "", "true"],
    ["valid", "", "true"],
    ["valid", "", "false"],
  ]);
  const asked = lab.heard("mx.shop.test").filter((line) => /^RCPT TO:<ann@/i.test(line));
  expect(asked).toHaveLength(1);
});

test("a file that is none is refused in words, and nothing is written", async () => {
  const own = mkdtempSync(join(folder, "refused-"));
  const lists = { "empty.csv": "", "people.csv": PEOPLE };
  for (const [name, content] of Object.entries(lists)) writeFileSync(join(own, name), content);
  const [empty, column] = await Promise.all([
    mailvet(["clean", join(own, "empty.csv")]),
    mailvet(["clean", join(own, "people.csv"), "--column", "mail"]),
  ]);
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringMatching(/^mailvet: empty\.csv: .*empty/) });
  expect(column).toMatchObject({ code: 2, stderr: expect.stringContaining('its columns: "name", "email"') });
  expect(readdirSync(own)).toEqual(Object.keys(lists));
});

test("results that are there already are replaced only when that is asked for", async () => {
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

test("standard input goes to standard output, when that is asked for", async () => {
  const [piped, nowhere] = await Promise.all([
    mailvet(["clean", "-", "--level", "syntax", "--out", "-"], { input: PEOPLE }),
    mailvet(["clean", "-", "--level", "syntax"], { input: PEOPLE }),
  ]);
  const { rows } = await tableIn(Buffer.from(piped.stdout));
  expect(rows).toHaveLength(1);
  expect(rows[0]!.slice(0, 4)).toEqual(["Ann", "ann@shop.io", "unknown", "smtp_skipped"]);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("say with --out") });
});

/** Begins, and presses Ctrl-C when the moment has come. */
async function interrupt(list: string, lab: Lab, isTime: () => boolean, args: string[] = []) {
  const child = startMailvet(["clean", list, ...args], envOf(lab));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const watch = setInterval(() => {
    if (isTime()) child.kill("SIGINT");
    if (isTime()) clearInterval(watch);
  }, 20);
  const [code] = await once(child, "close");
  clearInterval(watch);
  return { code, stderr };
}

const isAsked = (lab: Lab, host: string, line: RegExp) => lab.heard(host).some((said) => line.test(said));

test("Ctrl-C keeps what was found, but not under the name of the whole", async () => {
  await using lab = await openLab({
    "shop.test": mailDomain({ users: ["ann"] }),
    "slow.test": mailDomain({ users: ["bob"], latencyMs: 20_000 }),
  });
  const list = fileOf("stopped.csv", "email\nann@shop.test\nbob@slow.test\n");
  const { code, stderr } = await interrupt(list, lab, () => isAsked(lab, "mx.shop.test", /^QUIT/));
  expect(code).toBe(130);
  expect(stderr).toContain("rows that were not reached have no verdict");
  expect(existsSync(join(folder, "stopped-results.csv"))).toBe(false);
  const { rows } = await tableIn(readFileSync(join(folder, "stopped-results.partial.csv")));
  expect(rows.map((row) => row.slice(0, 2))).toEqual([
    ["ann@shop.test", "valid"],
    ["bob@slow.test", ""],
  ]);
});

test("Ctrl-C while only the patience is left leaves the whole file", async () => {
  await using lab = await openLab({
    "wary.test": mailDomain({ users: ["eve"], temper: [greylists({ delayMs: 60_000 })] }),
  });
  const list = fileOf("patient.csv", "email\neve@wary.test\n");
  const { code, stderr } = await interrupt(list, lab, () => isAsked(lab, "mx.wary.test", /^QUIT/));
  expect(code).toBe(130);
  expect(stderr).toContain("every row is there");
  const { rows } = await tableIn(readFileSync(join(folder, "patient-results.csv")));
  expect(rows[0]!.slice(0, 3)).toEqual(["eve@wary.test", "unknown", "greylisted"]);
});
