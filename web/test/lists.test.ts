/** Journeys: recommendation, free estimate, asking again, saved lists, ledger lines and notification settings. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();

const EMAILS = ["valid", "greylisted", "catch-all", "mailbox-not-found"].map(
  (name) => `${name}@mailvet.test`,
);

/** Where to store screenshots; unset: none are taken. */
const SHOTS = process.env.LISTS_SHOTS;

const shooterOf = (page: Page) => async (name: string) => {
  if (!SHOTS) return;
  for (const width of [390, 1280])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  await page.setViewportSize({ width: 1280, height: 900 });
};

journey(
  "a list is estimated, validated and asked for again, and the ledger shows it",
  async ({ service, visit }) => {
    const { cookie } = await service.openAccount({ credits: 50 });
    const { page, open } = await visit({ cookie });
    const shoot = shooterOf(page);

    await open("/validate");
    await page.getByLabel("Email address").fill("greylisted@mailvet.test");
    await page.getByRole("button", { name: "Check (1 credit)" }).click();
    await page.getByText("Retry later", { exact: true }).waitFor();
    expect(await page.getByText("How certain the verdict").count()).toBe(0);
    await page.getByRole("link", { name: "50 credits" }).waitFor(); // the sandbox is free in the web app
    await shoot("validate");

    await open("/bulk");
    const buffer = Buffer.from(`email\n${EMAILS.join("\n")}\n`);
    await page
      .getByLabel("File with emails")
      .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
    await page.getByRole("button", { name: "Estimate for free" }).click();
    await page.getByText("Estimated for the whole list from 4 emails at random.").waitFor();
    await shoot("estimate");
    await page.getByRole("button", { name: "Start validation" }).click();
    await page.waitForURL(/\/bulk\/[0-9a-f-]{36}$/);
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.getByText("4, 4 refunded").waitFor();

    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByRole("dialog").getByText("Unknown (1)").waitFor();
    await shoot("recheck");
    await page.getByRole("dialog").getByRole("radio", { name: /^All/ }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Check again" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("Completed", { exact: true }).waitFor();
    await shoot("job");

    await open("/usage");
    const ledger = page.getByRole("list", { name: "Ledger" });
    await ledger.getByText("people.csv").waitFor();
    await ledger
      .getByRole("button", { name: /^Show \d+ entries/ })
      .first()
      .click();
    await page.getByRole("list", { name: "Ledger entries" }).getByText("Refunded").first().waitFor();
    await shoot("usage");

    await open("/settings");
    await page.getByLabel("Email me when credits fall below").fill("25");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect
      .poll(async () => (await service.ask("/account/notifications", { cookie })).body.low_credits_threshold)
      .toBe(25);
    await shoot("settings");
  },
);

journey(
  "a score that is not a whole number is kept as typed, and is no filter",
  async ({ service, visit }) => {
    const { cookie, key } = await service.openAccount({ credits: 20 });
    const { body: job } = await service.ask("/bulk/jobs", {
      key,
      body: { emails: ["ann@polite.example-lab.com"] },
    });
    const { page, open } = await visit({ cookie });
    await open(`/bulk/${job.id}`);
    await page.getByRole("button", { name: "Filters" }).click();
    const lowest = page.getByLabel("Lowest score");
    await lowest.fill("1.5");
    await page.getByText("Enter a whole number.").waitFor();
    expect(await lowest.inputValue()).toBe("1.5");
    expect(new URL(page.url()).search).toBe("");
    await lowest.fill("15");
    await page.waitForURL("**?min_score=15");
  },
);

journey("the page of something deleted says so, with a link back", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  const id = crypto.randomUUID();
  const expected = ["404 GET /api/v1/webhooks/*", "404 GET /api/v1/lists/*"];
  const { page, open } = await visit({ cookie, expected });
  for (const [path, title, back] of [
    ["/webhooks", "Webhook not found", "Go to webhooks"],
    ["/lists", "List not found", "Go to saved lists"],
  ] as const) {
    await open(`${path}/${id}`);
    await page.getByRole("heading", { name: title }).waitFor();
    await page.getByRole("link", { name: back }).click();
    await page.waitForURL(`**${path}`);
  }
});

journey("a line of the ledger opens its own entries only", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 20 });
  const check = (as: object) =>
    service.ask("/validation/single", { ...as, body: { email: "ann@polite.example-lab.com" } });
  for (const as of [{ key }, { key }, { key }, { cookie }]) expect((await check(as)).status).toBe(200);
  const { page, open } = await visit({ cookie });
  await open("/usage");
  const ledger = page.getByRole("list", { name: "Ledger", exact: true });
  await ledger.getByRole("button", { name: "Show 3 entries" }).click();
  const entries = page.getByRole("list", { name: "Ledger entries" }).getByRole("listitem");
  await expect.poll(() => entries.count()).toBe(3);
  await page.getByRole("button", { name: "Hide entries" }).click();
  await ledger.getByRole("listitem").filter({ hasText: "Web app" }).getByRole("button").click();
  await expect.poll(() => entries.count()).toBe(1);
});

journey(
  "a job is saved as a list, checked again, and the page shows what has changed",
  async ({ service, visit }) => {
    const { cookie, key } = await service.openAccount({ credits: 50 });
    const { page, open } = await visit({ cookie });
    const shoot = shooterOf(page);
    await open("/lists");
    await page.getByText("No lists yet").waitFor();

    const { body: job } = await service.ask("/bulk/jobs", {
      key,
      body: { emails: EMAILS, name: "customers" },
    });
    await open(`/bulk/${job.id}`);
    await page.getByRole("button", { name: "Save as list" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Tags").fill("crm, europe");
    const schedule = dialog.getByLabel("Schedule");
    expect(await schedule.inputValue()).toBe(""); // no credits are spent unasked
    await schedule.selectOption("Every week");
    await dialog.getByText(/^About 4 credits a week, 4\d left: 1\d weeks\.$/).waitFor();
    await dialog.getByLabel("Recheck results older than").fill("15");
    await dialog.getByText(/^About 4 credits every 21 days, 4\d left: 3\d weeks\.$/).waitFor();
    await shoot("save-as-list");
    await schedule.selectOption("Never");
    await dialog.getByRole("button", { name: "Save as list" }).click();
    await page.waitForURL(/\/lists\/[0-9a-f-]{36}$/);
    await page.getByRole("heading", { name: "customers" }).waitFor();
    await page.getByText("Shown after the list has been checked again.").waitFor();
    expect(await page.getByText("not run yet").count()).toBe(3);
    expect(await page.getByText("in the last run", { exact: true }).count()).toBe(0);

    // As if one mailbox had been missing, and another one accepted, the last time.
    const { pool } = service.database;
    const was = "update results set status = $2, sub_status = $3 where job_id = $1 and email like $4";
    await pool.query(was, [job.id, "invalid", "mailbox_not_found", "valid@%"]);
    await pool.query(was, [job.id, "valid", "", "mailbox-not-found@%"]);
    await page.getByRole("button", { name: "Check again" }).click();
    await dialog.getByRole("radio", { name: /^All/ }).check();
    await dialog.getByRole("button", { name: "Check again" }).click();
    const changes = page.getByRole("table", { name: "What has changed" });
    await changes.getByRole("row", { name: /mailbox-not-found@mailvet.test.*invalid.*valid/ }).waitFor();
    await changes.getByRole("row", { name: /^valid@mailvet.test.*valid.*invalid/ }).waitFor();
    await shoot("saved-list");

    const settings = page.getByRole("region", { name: "Settings" });
    await settings.getByLabel("Schedule").selectOption("Every month");
    await settings.getByLabel("Recheck results older than").fill("");
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByText("Enter 1 to 365 days.").waitFor();
    await settings.getByLabel("Recheck results older than").fill("999");
    await settings.getByLabel("Schedule").selectOption("Never"); // hides the number
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByText("Saved.").waitFor();
    await settings.getByLabel("Schedule").selectOption("Every month");
    await settings.getByLabel("Recheck results older than").fill("14");
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByText("Saved.").waitFor();
    await page.getByText("Checked every month").waitFor();

    await page.getByRole("link", { name: "Saved lists" }).click();
    await page.getByRole("row", { name: /customers.*1 newly invalid, 1 recovered/ }).waitFor();
    await shoot("saved-lists");
    await page.getByRole("link", { name: "customers" }).click();
    await page.getByRole("button", { name: "Delete list" }).click();
    await dialog.getByRole("button", { name: "Delete list" }).click();
    await page.getByText("No lists yet").waitFor();
  },
);

journey(
  "in the background the browser notifies of the end of a job and of a run that needs credits",
  async ({ service, visit }) => {
    const { cookie, key } = await service.openAccount({ credits: 2 });
    const { page, open } = await visit({ cookie });
    const shown: string[] = [];
    await page.context().grantPermissions(["notifications"]);
    await page.exposeFunction("recordNotification", (text: string) => shown.push(text));
    await page.addInitScript(() => {
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
      class Recorder {
        static permission = "granted";
        constructor(title: string, { body }: { body: string }) {
          (window as unknown as { recordNotification(text: string): void }).recordNotification(
            `${title}. ${body}`,
          );
        }
      }
      Object.assign(window, { Notification: Recorder });
    });
    const begin = async (name: string, emails: string[]): Promise<string> =>
      (await service.ask("/bulk/jobs", { key, body: { emails, name } })).body.id;
    const statusOf = async (id: string) => (await service.ask(`/bulk/jobs/${id}`, { key })).body.status;
    const saved = await begin("customers", ["valid@mailvet.test"]);
    await expect.poll(() => statusOf(saved)).toBe("completed");
    const { body: list } = await service.ask("/lists", {
      key,
      body: { job_id: saved, name: "customers", schedule: "daily" },
    });
    const running = await begin("people", ["ann@grey.example-lab.com"]); // a retry in minutes
    await expect.poll(() => statusOf(running)).toBe("processing");
    const seen = ["/bulk/jobs?", "/lists"].map((path) =>
      page.waitForResponse((one) => one.url().includes(path)),
    );
    await open("/settings");
    await page.getByText("this browser notifies you").waitFor();
    await Promise.all(seen);

    expect((await service.ask(`/bulk/jobs/${running}/finish`, { key, method: "POST" })).status).toBe(202);
    await service.database.pool.query(
      "update saved_lists set last_run_at = now(), last_error = 'This costs 1 credit, and the balance is 0.' where id = $1",
      [list.id],
    );
    await expect
      .poll(() => [...shown].sort())
      .toEqual([
        "customers was not checked. This costs 1 credit, and the balance is 0.",
        "people: completed. 0 of 1 email are valid.",
      ]);
  },
);
