/** The guide in a browser: from the web app to a page by search, themes, and a phone. */
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();

journey(
  "the guide is reached from the menu, searched by keyboard, and keeps the theme",
  async ({ service, visit }) => {
    const { cookie } = await service.openAccount();
    const { page, open, follow } = await visit({ cookie });
    await open("/validate");
    await follow("Guide");
    await page.getByRole("heading", { level: 1, name: "Mailvet guide" }).waitFor();

    await page.getByRole("searchbox").waitFor(); // shown by the script that listens to keys
    await page.keyboard.press("/");
    await page.keyboard.type("idempotency key");
    await page.getByRole("link", { name: /^API › Idempotency/ }).waitFor();
    expect(await page.getByRole("status").textContent()).toMatch(/^\d results?$/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "API" }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/guide/api#idempotency");
    await page.getByRole("searchbox").fill("zzzzqqqq");
    await page.locator(".results").getByText("Nothing found for “zzzzqqqq”.").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".results").waitFor({ state: "hidden" });

    await page.getByRole("combobox", { name: "Theme" }).selectOption("Dark");
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: "attached" });
    await open("/validate"); // the web app has the same theme
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: "attached" });
  },
);

journey("on a phone pages do not scroll sideways, and have their contents in a menu", async ({ visit }) => {
  const { page, open } = await visit({ isOnPhone: true });
  for (const path of ["/guide", "/guide/verdicts", "/guide/operating"]) {
    await open(path);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path).toBe(true);
  }
  await page.getByText("Contents", { exact: true }).click();
  await page.getByRole("link", { name: "Running in production" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Running in production" }).waitFor();
});
