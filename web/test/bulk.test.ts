/** Journeys through the bulk and job pages: upload, progress, results, download, deletion, rejected files. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { greetsAfter, mailDomain } from "@mailvet/lab";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { deferred } from "../../engine/src/deferred.ts";
import { rowOf, xlsxOf } from "../../engine/test/workbooks.ts";
import { journeysIn } from "./journey.ts";

const observed = deferred<void>();
const deleted = deferred<void>();
const journey = journeysIn({
  env: { PROBE_TIMEOUT_SECONDS: "600" },
  // Keeps the job running until its progress was observed.
  domains: {
    "slow.example-lab.com": mailDomain({ users: ["ann"], temper: greetsAfter(observed.promise) }),
    "later.example-lab.com": mailDomain({ users: ["ann"], temper: greetsAfter(deleted.promise) }),
  },
});

/** Rows of the list: cells, and the expected status and sub-status. */
const ROWS = [
  ["1;ann@polite.example-lab.com;boss@shop.example;pays early", "valid;"],
  ["2;eve@polite.example-lab.com;;moved", "invalid;mailbox_not_found"],
  ["3;bea@open.example-lab.com;;", "risky;catch_all"],
  ['4;ann@mailinator.com;;"said: no; twice"', "risky;disposable"],
  ["5;valid@mailvet.test;;", "valid;"],
  ["6;probe-blocked@mailvet.test;;", "unknown;probe_blocked"],
  ["7;ann@nowhere.example-lab.com;;", "invalid;domain_not_found"],
  ["8;Ann@Polite.Example-Lab.com;sales@shop.example;again", "valid;"],
  ["9;;;no mail", ";"],
  ["10;ann@slow.example-lab.com;;", "valid;"],
  // Enough addresses of one domain for a slice of their own, which finishes before the slow one.
  ...Array.from({ length: 125 }, (_, n) => [`${11 + n};valid+${n}@mailvet.test;;`, "valid;"] as const),
] as const;
const LIST = ["Number;E-mail;Second e-mail;Note", ...ROWS.map(([cells]) => cells), ""].join("\r\n");

journey("a list is uploaded, validated, browsed, downloaded and deleted", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 150 });
  const { page, open } = await visit({ cookie });
  await open("/bulk");
  await choose(page, "customers.csv", LIST);

  await page.getByRole("heading", { name: "customers.csv" }).waitFor();
  await page.getByText("133 credits", { exact: true }).waitFor();
  await page.getByText("17 credits left afterwards").waitFor();
  await chooseColumn(page, /^Second e-mail/);
  await page.getByText("2 credits", { exact: true }).waitFor();
  await chooseColumn(page, /^E-mail/);
  await page.getByText("133 credits", { exact: true }).waitFor();
  await page.reload(); // keeps the preview
  await page.getByRole("button", { name: "Start validation" }).click();

  await page.waitForURL(/\/bulk\/[0-9a-f-]{36}$/);
  const jobId = page.url().split("/").at(-1)!;
  const bar = page.getByRole("progressbar", { name: "Emails with a verdict" });
  const progress = async () => Number(await bar.getAttribute("aria-valuenow"));
  await expect.poll(progress).toSatisfy((percent) => percent > 0 && percent < 100);
  observed.resolve();
  await page.getByText("Completed", { exact: true }).waitFor();
  expect(await progress()).toBe(100);
  await page.getByRole("link", { name: "144 credits" }).waitFor(); // the sandbox addresses are refunded

  const table = page.getByRole("table", { name: "Results" });
  await page.getByRole("status").getByText("134 rows").waitFor();
  const filters = page.getByRole("group", { name: "Filter by verdict" });
  await filters.getByRole("link", { name: "Invalid" }).click();
  await expect
    .poll(() => shownRows(page))
    .toEqual(["2 eve@polite.example-lab.com invalid", "7 ann@nowhere.example-lab.com invalid"]);
  await page.reload(); // the filter is in the URL
  await expect.poll(() => shownRows(page)).toHaveLength(2);
  await filters.getByRole("link", { name: "All" }).click();
  await page.getByLabel("Search emails").fill("POLITE");
  await expect
    .poll(() => shownRows(page))
    .toEqual([
      "1 ann@polite.example-lab.com valid",
      "2 eve@polite.example-lab.com invalid",
      "8 Ann@Polite.Example-Lab.com duplicate valid",
    ]);
  await page.getByRole("button", { name: "Clear search" }).click();
  await table.getByRole("cell", { name: "valid@mailvet.test" }).waitFor();

  expect(await download(page, "All rows as CSV")).toEqual(LIST_WITH_VERDICTS);
  expect(await download(page, "Invalid as CSV")).toEqual(
    LIST_WITH_VERDICTS.filter((line) => /^Number|;invalid;/.test(line)),
  );

  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete job" }).click();
  await page.getByText("No jobs yet").waitFor();
  expect((await service.ask(`/bulk/jobs/${jobId}`, { key })).status).toBe(404);
});

const LIST_WITH_VERDICTS = [
  "Number;E-mail;Second e-mail;Note;mailvet_status;mailvet_sub_status",
  ...ROWS.map(([cells, verdict]) => `${cells};${verdict}`),
];

const REJECTED_FILES = [
  ["report.pdf", "%PDF-1.7\n%âãÏÓ\n1 0 obj", "Unsupported file type", "PDF"],
  ["list.rar", "Rar!\x1a\x07\x01", "Unsupported file type", "RAR"],
  [
    "page.csv",
    "<!doctype html><html><body>ann@shop.example</body></html>",
    "The file can't be read as a table",
    "a web page",
  ],
  ["nothing.csv", "", "The file is empty", ""],
  ["names.csv", "name\nAnn\nBob\n", "No emails found", ""],
] as const;

journey("a file that is not a list is rejected with a reason, and not stored", async ({ service, visit }) => {
  const { cookie, accountId } = await service.openAccount({ credits: 20 });
  const preview = "POST /api/v1/bulk/upload/preview";
  const { page, open } = await visit({ cookie, expected: [`415 ${preview}`, `422 ${preview}`] });
  await open("/bulk");
  for (const [name, content, title, kind] of REJECTED_FILES) {
    await choose(page, name, content);
    const refusal = page.getByRole("alert").filter({ hasText: name });
    await refusal.getByText(title, { exact: true }).waitFor();
    expect(await refusal.textContent()).toContain(kind);
  }
  await page.getByText("No jobs yet").waitFor();
  const kept = "select filename from uploads where account_id = $1";
  expect((await service.database.pool.query(kept, [accountId])).rows).toEqual([]);

  await choose(page, "emails.txt", "valid@mailvet.test\n");
  await page.getByRole("heading", { name: "emails.txt" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

const choose = (page: Page, name: string, content: string) => chooseFiles(page, { [name]: content });

async function chooseColumn(page: Page, name: RegExp): Promise<void> {
  await page.getByLabel("Email column").first().click();
  await page.getByRole("option", { name }).click();
}

/** Number, email and verdict of the rendered rows. */
async function shownRows(page: Page): Promise<string[]> {
  const rows = await page.getByRole("table", { name: "Results" }).getByRole("row").all();
  const cells = await Promise.all(rows.map((row) => row.getByRole("cell").allInnerTexts()));
  return cells
    .filter(({ length }) => length > 1)
    .map((texts) => texts.slice(0, 3).join(" ").replaceAll("\n", " "));
}

/** Lines of the downloaded file, without the columns after the sub-status. */
async function download(page: Page, name: string): Promise<string[]> {
  await page.getByRole("button", { name: "Download" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name }).click();
  const file = await downloading;
  await page.keyboard.press("Escape");
  const [header, ...lines] = readFileSync(await file.path(), "utf8").split("\r\n");
  const added = header!.split(";").length - header!.split(";").indexOf("mailvet_sub_status") - 1;
  return [header!, ...lines.slice(0, -1)].map((line) => line.split(";").slice(0, -added).join(";"));
}

journey(
  "the page of a job that is gone says so, also when it goes while the page is open",
  async (context) => {
    const { service, visit } = context;
    const { cookie, key } = await service.openAccount({ credits: 5 });
    const { page, open, settled } = await visit({
      cookie,
      expected: [
        "404 GET /api/v1/bulk/jobs/*",
        "404 DELETE /api/v1/bulk/jobs/*",
        "404 GET /api/v1/bulk/jobs/*/*",
        "410 GET /api/v1/bulk/jobs/*/results",
      ],
    });
    const jobOf = async (email: string): Promise<string> =>
      (await service.ask("/bulk/jobs", { key, body: { emails: [email] } })).body.id;
    const remove = (id: string) => service.ask(`/bulk/jobs/${id}`, { key, method: "DELETE" });
    const openCompleted = async () => {
      const id = await jobOf("valid@mailvet.test");
      await open(`/bulk/${id}`);
      await page.getByText("Completed", { exact: true }).waitFor();
      await settled();
      return id;
    };
    const search = (text: string) => page.getByRole("textbox", { name: "Search" }).fill(text);
    const saysSo = async () => {
      await page.getByRole("heading", { level: 1, name: "Job not found" }).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.getByRole("link", { name: "Go to jobs" }).click();
      await page.getByRole("heading", { level: 1, name: "Bulk" }).waitFor();
    };

    await remove(await openCompleted());
    await search("valid");
    await saysSo();

    await remove(await openCompleted());
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete job" }).click();
    await saysSo();

    await remove(await openCompleted());
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByRole("link", { name: "All rows as CSV" }).click();
    await saysSo();

    const paused = await jobOf("ann@later.example-lab.com");
    await open(`/bulk/${paused}`);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await remove(paused);
    deleted.resolve();
    await saysSo();

    const expired = await openCompleted();
    await service.database.pool.query("update jobs set expires_at = now() where id = $1", [expired]);
    await search("valid");
    await page.getByRole("heading", { name: "Results have expired" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  },
);

journey("an open job that waits for a retry does not read its results again", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 5 });
  const body = { emails: ["valid@mailvet.test", "ann@grey.example-lab.com"] };
  const { id } = (await service.ask("/bulk/jobs", { key, body })).body;
  await expect.poll(async () => (await service.ask(`/bulk/jobs/${id}`, { key })).body.phase).toBe("retrying");
  const { page, open } = await visit({ cookie });
  let reads = 0;
  page.on("request", (request) => {
    if (request.url().includes("/results?")) reads++;
  });
  await page.clock.install();
  await open(`/bulk/${id}`);
  await page.getByRole("button", { name: "valid@mailvet.test" }).waitFor({ timeout: 20_000 });
  await page.clock.runFor(60_000);
  const readBefore = reads;
  await page.clock.runFor(60_000);
  await page.evaluate("0"); // requests are reported in order
  expect(reads).toBe(readBefore);
});

journey("test mode has jobs of its own, and costs nothing", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 5 });
  const { page, open } = await visit({ cookie });
  await open("/bulk");
  await page.getByRole("link", { name: "5 credits" }).waitFor();
  await open("/validate");
  await page.getByLabel("Email address").fill("ann@shop.example");
  await page.getByRole("switch", { name: "Test mode" }).click({ force: true });
  await page.getByRole("complementary", { name: "Test mode" }).waitFor();
  await page.getByRole("button", { name: "Check (simulated)" }).waitFor();
  expect(await page.getByLabel("Email address").inputValue()).toBe("ann@shop.example");

  await page.goto("/bulk");
  await choose(page, "trial.csv", "email\nmailbox-full@real-company.example\n");
  await page.getByRole("button", { name: "Start validation" }).click();
  await page.getByText("Completed", { exact: true }).waitFor();
  const jobId = page.url().split("/").at(-1)!;
  await page.getByRole("button", { name: "Download" }).click();
  const link = page.getByRole("link", { name: /CSV/ }).first();
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  expect(readFileSync(await download.path(), "utf8")).toContain("mailvet_sandbox");
  expect((await service.ask(`/bulk/jobs/${jobId}`, { key })).status).toBe(404);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "mailbox-full@real-company.example" }).click();
  await page.getByRole("button", { name: "Check again (simulated)" }).waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Leave test mode" }).click();
  await page.waitForURL("**/bulk"); // the job is not in live mode
  await page.getByText("No jobs yet").waitFor();
  await page.getByRole("tab", { name: "Paste" }).click();
  await page.getByRole("textbox").fill("ann@shop.example");
  await page.getByRole("switch", { name: "Test mode" }).click({ force: true });
  await page.getByRole("complementary", { name: "Test mode" }).waitFor();
  expect(await page.getByRole("textbox").inputValue()).toBe("ann@shop.example");
  await page.getByRole("link", { name: "1,000,000 credits" }).click();
  await page.getByRole("heading", { name: "Usage and credits" }).waitFor();
  await page.getByText("Simulated figures").waitFor();
  await page.getByText("No entries yet").waitFor();
  await page.goto("/");
  await page.getByText("Simulated figures").waitFor();
  await page.getByRole("button", { name: "Leave test mode" }).click();
  await page.getByRole("switch", { name: "Test mode", checked: false }).waitFor({ state: "attached" });
  await page.goto("/bulk");
  await page.getByRole("link", { name: "5 credits" }).waitFor();
  await page.getByText("No jobs yet").waitFor();
});

journey(
  "a workbook is uploaded, another sheet chosen, and its results go back in",
  async ({ service, visit }) => {
    const { cookie } = await service.openAccount({ credits: 20 });
    const { page, open } = await visit({
      cookie,
      expected: ["422 POST /api/v1/bulk/upload/preview"],
    });
    await open("/bulk");
    const workbook = await xlsxOf({
      sheets: {
        Customers: rowOf("name", "email") + rowOf("Ann", "valid+a@mailvet.test"),
        Partners:
          rowOf("e-mail", "since") +
          rowOf("valid+p@mailvet.test", "2024") +
          rowOf("role-based@mailvet.test", "2023"),
        Notes: rowOf("to do") + rowOf("ask Ann"),
      },
    });
    await chooseFiles(page, { "contacts.xlsx": workbook });
    await page.getByRole("heading", { name: "contacts.xlsx" }).waitFor();
    await page.getByText("1 credit", { exact: true }).waitFor();
    const chooseSheet = async (name: string) => {
      await page.getByLabel("Sheet", { exact: true }).first().click();
      await page.getByRole("option", { name }).click();
    };
    await chooseSheet("Notes");
    await page.getByRole("alert").getByText("No emails in “Notes”").waitFor();
    await chooseSheet("Partners");
    await page.getByText("2 credits", { exact: true }).waitFor();
    await page.goBack(); // to before the file, not to the sheet before
    await page.getByText("Drop or choose your list").waitFor();
    await page.goForward();
    await page.getByText("2 credits", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("Choose the file again for another sheet.").waitFor();
    await page.getByRole("button", { name: "Start validation" }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.goBack(); // not to a preview that is gone
    await page.getByText("Drop or choose your list").waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.goForward();

    await page.getByRole("button", { name: "Download" }).click();
    const [results] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "All rows as Excel" }).click(),
    ]);
    await open("/bulk");
    await chooseFiles(page, { "results.xlsx": readFileSync(await results.path()) });
    await page.getByRole("heading", { name: "results.xlsx" }).waitFor();
    await page.getByRole("columnheader", { name: "mailvet_status", exact: false }).first().waitFor();
    await page.getByText("2 credits", { exact: true }).waitFor();
  },
);

journey("pasted emails with any separators and names become a list", async ({ service, visit }) => {
  const { cookie } = await service.openAccount({ credits: 20 });
  const { page, open } = await visit({ cookie });
  await open("/bulk");
  await page.getByRole("tab", { name: "Paste" }).click();
  await page
    .getByLabel("Emails", { exact: true })
    .fill(
      '"Doe, Ann" <valid+1@mailvet.test>; valid+2@mailvet.test valid+3@mailvet.test\nBo <valid+1@mailvet.test>',
    );
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("heading", { name: "pasted-list.csv" }).waitFor();
  await page.getByText("3 credits", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Choose another file" }).click();
  await expect.poll(() => page.getByLabel("Emails", { exact: true }).inputValue()).toContain("Doe, Ann");
  await page.keyboard.press("Tab"); // the focus is still in the page
  await expect.poll(() => page.getByRole("tab", { name: "Paste" }).evaluate(isFocused)).toBe(true);
  await page.getByRole("heading", { name: "Bulk" }).click();
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "name\temail\nAnn\tvalid+7@mailvet.test");
    document.body.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  });
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("1 credit", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Start validation" }).click();
  await page.getByText("Completed", { exact: true }).waitFor();
});

journey("several files are one list, and several columns one job", async ({ service, visit }) => {
  const { cookie } = await service.openAccount({ credits: 20 });
  const { page, open } = await visit({ cookie });
  await open("/bulk");
  await chooseFiles(page, {
    "north.csv": "email,second\nvalid+n@mailvet.test,valid+n2@mailvet.test\n",
    "south.csv": "email,second\nvalid+s@mailvet.test,\n",
  });
  await page.getByRole("heading", { name: "north.csv and 1 more" }).waitFor();
  await page.getByText("2 credits", { exact: true }).waitFor();
  await toggle(page, /^second/, true);
  await page.getByText("in 2 columns", { exact: true }).waitFor();
  await page.reload(); // keeps the columns
  await page.getByRole("checkbox", { name: /^second/, checked: true }).waitFor();
  await page.getByRole("button", { name: "Start validation" }).click();
  await page.getByText("Completed", { exact: true }).waitFor();
  await page.getByRole("status").getByText("3 rows").waitFor();
  await page.getByRole("link", { name: "20 credits" }).waitFor(); // sandbox addresses are refunded
});

journey("no more email columns can be chosen than a job takes", async ({ service, visit }) => {
  const { cookie } = await service.openAccount({ credits: 20 });
  const { page, open } = await visit({ cookie });
  await open("/bulk");
  const numbers = Array.from({ length: 11 }, (_, n) => n);
  const emails = numbers.map((n) => `valid+${n}@mailvet.test`);
  await choose(page, "wide.csv", `${numbers.map((n) => `mail${n}`)}\n${emails}\n`);
  await page.getByText("At most 9.").waitFor();
  const nameOf = (n: number) => new RegExp(`^mail${n}\\b`);
  for (const n of numbers.slice(1, 10)) await toggle(page, nameOf(n), true);
  await page.getByRole("checkbox", { name: nameOf(10), disabled: true }).waitFor();
  await toggle(page, nameOf(9), false);
  await toggle(page, nameOf(10), true);
});

/** `check()` expects the change at once, but it comes with the URL. */
async function toggle(page: Page, name: RegExp, checked: boolean): Promise<void> {
  await page.getByRole("checkbox", { name, checked: !checked }).click();
  await page.getByRole("checkbox", { name, checked }).waitFor();
}

journey("the count of a column stays behind its Arabic name", async ({ service, visit }) => {
  const { cookie } = await service.openAccount({ credits: 20 });
  const { page, open } = await visit({ cookie });
  await open("/bulk");
  await choose(page, "list.csv", "name,البريد\nAnn,valid@mailvet.test\n");
  const column = page.getByRole("combobox", { name: "Email column" });
  await expect.poll(() => column.inputValue()).toBe("البريد\u200e · 1 email");
  // A long name that is cut shows its beginning, which is on the right.
  const name = page.getByRole("columnheader").getByText("البريد", { exact: true });
  expect(await name.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
});

journey("a list is fetched from a link, and a forbidden one is refused", async ({ service, visit }) => {
  const { cookie } = await service.openAccount({ credits: 20 });
  const server = createServer((_, response) => response.end("email\nvalid+link@mailvet.test\n"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const { page, open } = await visit({ cookie, expected: ["422 POST /api/v1/bulk/upload/link"] });
    await open("/bulk");
    await page.getByRole("tab", { name: "Link" }).click();
    await page.getByLabel("Link to a file").fill("https://10.1.2.3/list.csv");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("alert").getByText("This link is not allowed").waitFor();
    await page.getByLabel("Link to a file").fill(`http://127.0.0.1:${port}/march.csv`);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "march.csv" }).waitFor();
  } finally {
    server.close();
  }
});

const isFocused = (element: Element) => element === document.activeElement;

async function chooseFiles(page: Page, files: Record<string, string | Buffer>): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose file" }).first().click();
  const chosen = Object.entries(files).map(([name, content]) => ({
    name,
    mimeType: "",
    buffer: Buffer.from(content),
  }));
  await (await chooser).setFiles(chosen);
}
