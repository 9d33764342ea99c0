/** Journeys through the results of a job: while it runs, by filter, from a row to its check, and finishing early. */
import { readFileSync } from "node:fs";
import { answersSlowly, mailDomain } from "@mailvet/lab";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";

const journey = journeysIn({
  env: { PROBE_TIMEOUT_SECONDS: "600" },
  domains: {
    "silent.example-lab.com": mailDomain({ users: ["sue"], temper: answersSlowly({ delayMs: 3_600_000 }) }),
  },
});

const LIST = [
  "email",
  "ann@polite.example-lab.com",
  "eve@polite.example-lab.com",
  "bea@open.example-lab.com",
  "sue@silent.example-lab.com",
  "jon.smiht@polite.example-lab.com",
  "",
].join("\n");

journey(
  "results are shown, filtered and downloaded while a host is silent; then the job is finished",
  async ({ service, visit }) => {
    const { cookie, key } = await service.openAccount({ credits: 20 });
    const { page, open } = await visit({ cookie });
    await open("/bulk");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose file" }).first().click();
    await (await chooser).setFiles({ name: "newsletter.csv", mimeType: "", buffer: Buffer.from(LIST) });
    await page.getByRole("button", { name: "Start validation" }).click();
    await page.waitForURL(/\/bulk\/[0-9a-f-]{36}$/);
    const jobId = page.url().split("/").at(-1)!;

    await expect
      .poll(() => shownRows(page))
      .toEqual([
        "1 ann@polite.example-lab.com valid",
        "2 eve@polite.example-lab.com invalid",
        "3 bea@open.example-lab.com risky",
        "4 sue@silent.example-lab.com pending",
        "5 jon.smiht@polite.example-lab.com invalid",
      ]);
    await page.getByText("4 of 5 emails have a verdict so far").waitFor();

    const filters = page.getByRole("group", { name: "Filter by verdict" });
    await filters.getByRole("link", { name: "Waiting" }).click();
    await expect.poll(() => shownRows(page)).toEqual(["4 sue@silent.example-lab.com pending"]);
    await filters.getByRole("link", { name: "All" }).click();

    // A reason leads to its rows, and the URL has the filter.
    await page.getByRole("link", { name: "No such mailbox" }).click();
    await expect.poll(() => shownRows(page)).toHaveLength(2);
    expect(new URL(page.url()).search).toBe("?status=invalid&sub_status=mailbox_not_found");
    // A pause while typing applies the filter, and the keys after it go into the field as well.
    await page.getByLabel("Search emails").fill("VE@");
    await expect.poll(() => shownRows(page)).toEqual(["2 eve@polite.example-lab.com invalid"]);
    await page.keyboard.press("Home");
    await page.keyboard.type("E");
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("EVE@");
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect.poll(() => shownRows(page)).toHaveLength(2);
    await page.keyboard.type("EVE@");
    await expect.poll(() => shownRows(page)).toEqual(["2 eve@polite.example-lab.com invalid"]);
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("EVE@");
    await page.reload();
    await expect.poll(() => shownRows(page)).toEqual(["2 eve@polite.example-lab.com invalid"]);
    expect(new URL(page.url()).searchParams.get("q")).toBe("EVE@");
    const file = await download(page, "Filtered rows as CSV");
    expect(file.name).toBe("newsletter-invalid-mailbox-not-found-search-partial.csv");
    expect(file.text.split("\r\n")).toHaveLength(3);

    // A row opens its check, at no cost.
    await page.getByRole("button", { name: "eve@polite.example-lab.com" }).click();
    const story = page.getByRole("dialog");
    await story.getByRole("heading", { name: /says that this mailbox does not exist/ }).waitFor();
    await story.getByText(/550/).first().waitFor();
    expect(new URL(page.url()).searchParams.get("row")).toBe("2");
    await story.getByRole("button", { name: "Close" }).click();
    await story.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Finish now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Finish job" }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.getByRole("link", { name: "16 credits" }).waitFor(); // the silent host's address is free
    await page.goto(`/bulk/${jobId}?safe_to_send=true`);
    await expect.poll(() => shownRows(page)).toEqual(["1 ann@polite.example-lab.com valid"]);
    expect((await download(page, "Safe to send as CSV")).name).toBe("newsletter-safe.csv");
    await page.goto(`/bulk/${jobId}?status=unknown`);
    await expect.poll(() => shownRows(page)).toEqual(["4 sue@silent.example-lab.com unknown"]);

    // Checking a row again is a single check.
    await page.goto(`/bulk/${jobId}?row=1`);
    await page.getByRole("dialog").getByRole("button", { name: "Check again (1 credit)" }).click();
    await page.waitForURL(/\/validate\?email=ann/);
    await page.getByRole("article", { name: /ann@polite/ }).waitFor();
    await page.getByRole("link", { name: "15 credits" }).waitFor();
    expect((await service.ask(`/bulk/jobs/${jobId}`, { key })).body).toMatchObject({ credits_used: 4 });
  },
);

/** Number, email and verdict of the rendered rows. */
async function shownRows(page: Page): Promise<string[]> {
  const rows = await page.getByRole("table", { name: "Results" }).getByRole("row").all();
  const cells = await Promise.all(rows.map((row) => row.getByRole("cell").allInnerTexts()));
  return cells
    .filter(({ length }) => length > 1)
    .map((texts) => texts.slice(0, 3).join(" ").replaceAll("\n", " "));
}

async function download(page: Page, link: string): Promise<{ name: string; text: string }> {
  await page.getByRole("button", { name: "Download" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: link }).click();
  const file = await downloading;
  await page.keyboard.press("Escape");
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}
