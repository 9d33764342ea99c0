/** Accessibility of dialogs, of the keyboard, and of the operator's pages. */
import { createClient } from "@mailvet/sdk";
import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { createJobs, findingsOn, SLOW_DOMAIN } from "./axe.ts";
import { journeysIn } from "./journey.ts";

const journey = journeysIn({ domains: SLOW_DOMAIN });

journey("dialogs have no serious violations, and Escape closes them", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 1000 });
  const client = createClient({ baseUrl: service.url, apiKey: key });
  const { doneId } = await createJobs(client);
  const { id: webhookId } = await client.webhooks.create({ url: `${service.url}/health` });
  const { page, open } = await visit({ cookie });
  const findings: string[] = [];
  for (const [path, button, role] of [
    [`/bulk/${doneId}`, "Download", "dialog"],
    [`/bulk/${doneId}`, "Save as list", "dialog"],
    [`/bulk/${doneId}`, "Delete", "dialog"],
    ["/keys", "Create key", "dialog"],
    ["/keys", "Actions for a key", "menu"],
    ["/", "Search", "dialog"],
    ["/webhooks", "Add endpoint", "dialog"],
    [`/webhooks/${webhookId}`, "Rotate secret", "dialog"],
    ["/settings", /^Account /, "menu"],
  ] as const) {
    await open(path);
    const opener = page.getByRole("button", { name: button }).first();
    await opener.click();
    await page.getByRole(role).waitFor();
    expect(await fadeSeconds(page.getByRole(role))).toBeLessThan(0.01); // reduced motion is set
    findings.push(...(await findingsOn(page, `${path} after ${button}`)));
    await page.keyboard.press("Escape");
    await page.getByRole(role).waitFor({ state: "hidden" });
    await expect.poll(() => opener.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true);
  }
  expect(findings).toEqual([]);
});

journey("a check can be run with the keyboard alone", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  const { page, open, follow } = await visit({ cookie });
  const focused = page.locator(":focus");
  await open("/validate");
  await page.getByLabel("Email address").waitFor();
  await page.keyboard.press("Tab");
  expect(await focused.textContent()).toBe("Skip to content");
  expect((await focused.boundingBox())!.x).toBeGreaterThanOrEqual(0);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await focused.getAttribute("placeholder")).toBe("ann@example.com");
  await page.keyboard.type("valid@mailvet.test");
  await page.keyboard.press("Tab");
  expect(await focused.textContent()).toContain("Check");
  expect(
    await focused.evaluate((node) => node.ownerDocument.defaultView!.getComputedStyle(node).outlineStyle),
  ).not.toBe("none");
  await page.keyboard.press("Enter");
  await page.getByRole("article", { name: "Result for valid@mailvet.test" }).waitFor();

  await follow("Settings");
  await page.locator("[aria-live]", { hasText: "Settings · Mailvet" }).waitFor({ state: "attached" });
  await page.getByLabel("Current password", { exact: true }).waitFor();
  await page.keyboard.press("Tab");
  expect(await focused.getAttribute("aria-label")).toBe("Language"); // the first control of the page, not the next link of the menu
});

journey("the operator pages have no serious violations", async ({ service, visit }) => {
  const { accountId } = await service.openAccount();
  const { page, open } = await visit({ cookie: await service.operatorCookie() });
  const findings: string[] = [];
  const account = `/operator/accounts/${accountId}`;
  const paths = [
    "/operator/accounts",
    account,
    "/operator/jobs",
    "/operator/keys",
    "/operator/audit",
    "/operator/system",
  ];
  for (const path of paths) {
    await open(path);
    findings.push(...(await findingsOn(page, path)));
  }
  await open(account);
  for (const [button, field] of [
    ["Suspend", "Reason"],
    ["Change email", "New email"],
    ["Erase", "Type the email of the account to confirm"],
  ] as const) {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("dialog").getByLabel(field).waitFor();
    findings.push(...(await findingsOn(page, `${button} of an account`)));
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  }
  expect(findings).toEqual([]);
});

function fadeSeconds(element: Locator): Promise<number> {
  return element.evaluate((node) =>
    Number.parseFloat(node.ownerDocument.defaultView!.getComputedStyle(node).transitionDuration),
  );
}
