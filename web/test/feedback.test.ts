/** Journey through bounce feedback on the usage page: upload, comparison, deletion. */
import { AxeBuilder } from "@axe-core/playwright";
import { expect } from "vitest";
import { remember } from "../../service/test/feedback-world.ts";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();

journey("delivery results are uploaded, compared with the prediction, and deleted", async (context) => {
  const { service, visit } = context;
  const { cookie, accountId } = await service.openAccount();
  const emails = Array.from({ length: 40 }, (_, n) => `m${n}@shop.io`);
  await remember(
    service,
    accountId,
    emails.map((email) => ({ email, subStatus: "catch_all", provider: "google_workspace" })),
  );
  const { page, open } = await visit({ cookie });
  await open("/usage");
  await page.getByText("No feedback yet").waitFor();
  const rows = emails.map((email, n) => `${email},${n % 4 === 0 ? "hard_bounce" : "delivered"}`);
  const buffer = Buffer.from(`email,event\n${rows.join("\n")}\nnobody,bounced\nx@shop.io,soft_bounce\n`);
  await page
    .getByLabel("File with delivery results")
    .setInputFiles({ name: "events.csv", mimeType: "text/csv", buffer });

  await page.getByText("40 of 42 rows stored").waitFor();
  await page.getByText("Row 41: The email is not a valid address.").waitFor();
  await page.getByText("25% bounced").waitFor();
  await page.getByRole("figure", { name: /Bar chart of bounce rates in 1 week/ }).waitFor();
  await page.getByText("By provider").click();
  await page.getByRole("rowheader", { name: "Google Workspace" }).waitFor();
  const { violations } = await new AxeBuilder({ page })
    .include("section[aria-labelledby=feedback]")
    .analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);

  const phone = await visit({ cookie, isOnPhone: true, locale: "de-DE" });
  await phone.open("/usage");
  const choices = phone.page.getByRole("radiogroup", { name: "Gruppieren" });
  await choices.getByText("Nach Anbieter").waitFor();
  const [width, needed] = await choices.evaluate((group) => [group.clientWidth, group.scrollWidth]);
  expect(needed).toBe(width); // nothing is cut off

  await page.getByRole("button", { name: "Delete all feedback" }).click();
  await page.getByRole("button", { name: "Delete feedback" }).click();
  await page.getByText("No feedback yet").waitFor();
});
