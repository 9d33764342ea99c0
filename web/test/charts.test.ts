/** The chart of verdicts per day: range, comparison with the period before, keyboard, table. */
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();
const DAY_MS = 86_400_000;

journey(
  "the chart compares with the period before, by pointer, keys and table",
  async ({ service, visit }) => {
    const { accountId, cookie } = await service.openAccount();
    const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
    const add = `insert into usage_days (account_id, day, valid, invalid, risky, unknown, credits_used)
    values ($1, $2, $3, 0, 0, 0, $3)`;
    await service.database.pool.query(add, [accountId, dayAgo(1), 30]);
    await service.database.pool.query(add, [accountId, dayAgo(8), 20]);
    const { page, open } = await visit({ cookie });
    await open("/usage?days=7");
    const chart = page.getByRole("figure", { name: /^Bar chart of the last 7 days: 30 addresses checked/ });
    await chart.waitFor();
    const legend = page.getByRole("listitem").filter({ hasText: "Previous 7 days: 20 addresses" });
    await legend.getByText("+50%").waitFor();

    await chart.focus();
    await page.keyboard.press("ArrowLeft"); // from today to yesterday
    await chart
      .locator("[aria-live]")
      .getByText(/Valid 30, .*Total 30, .* 20$/)
      .waitFor();
    await page.keyboard.press("Home");
    await chart
      .locator("[aria-live]")
      .getByText(/Valid 0/)
      .waitFor();

    await page.getByRole("button", { name: "Show table" }).click();
    const rows = page.getByRole("table", { name: "Verdicts per day" }).getByRole("row");
    expect(await rows.count()).toBe(2); // with the heading: days without checks are left out
    await rows.last().getByRole("cell", { name: "20", exact: true }).waitFor();

    await page.getByText("30 days", { exact: true }).click();
    await page.getByRole("figure", { name: /^Bar chart of the last 30 days: 50 addresses/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("days")).toBe("30");
  },
);
