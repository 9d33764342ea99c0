/** Journeys: recommendation, free estimate, asking again, ledger lines and notification settings. */
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();

const EMAILS = ["valid", "greylisted", "catch-all", "mailbox-not-found"].map(
  (name) => `${name}@mailvet.test`,
);

/** Where to store screenshots; unset: none are taken. */
const SHOTS = process.env.LISTS_SHOTS;

journey(
  "a list is estimated, validated and asked for again, and the ledger shows it",
  async ({ service, visit }) => {
    const { cookie } = await service.openAccount({ credits: 50 });
    const { page, open } = await visit({ cookie });
    const shoot = async (name: string) => {
      if (!SHOTS) return;
      for (const width of [390, 1280])
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        }
      await page.setViewportSize({ width: 1280, height: 900 });
    };

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
    await page.getByLabel("Email me when fewer credits are left than").fill("25");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect
      .poll(async () => (await service.ask("/account/notifications", { cookie })).body.low_credits_threshold)
      .toBe(25);
    await shoot("settings");
  },
);
