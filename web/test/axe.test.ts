/** Accessibility of every page and dialog, checked with axe in both colour schemes. */
import { AxeBuilder } from "@axe-core/playwright";
import { answersSlowly, mailDomain } from "@mailvet/lab";
import { type Client, createClient } from "@mailvet/sdk";
import { TOTP } from "otpauth";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";

const journey = journeysIn({
  domains: {
    // Keeps a job active during the check.
    "slow.example-lab.com": mailDomain({ temper: answersSlowly({ delayMs: 60_000, at: "rcpt" }) }),
  },
});

journey("the sign-in pages have no serious violations", async ({ visit }) => {
  const { page, open } = await visit({ expected: ["404 GET /nowhere"] });
  const findings: string[] = [];
  for (const path of [
    "/sign-in",
    "/sign-up",
    "/forgotten-password",
    "/reset-password?token=x",
    "/reset-password?invitation=yes&token=x",
    "/suspended",
    "/nowhere",
  ]) {
    await open(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    findings.push(...(await findingsOn(page, path)));
  }
  await open("/sign-in");
  await page.getByRole("button", { name: "Sign in" }).click(); // with empty fields
  await expect.poll(() => focusedLabel(page)).toBe("Email"); // so that a screen reader announces its error
  findings.push(...(await findingsOn(page, "/sign-in with errors")));
  expect(findings).toEqual([]);
});

journey("the guide has no serious violations", async ({ visit }) => {
  const { page, open } = await visit();
  await open("/guide");
  const findings = await findingsOn(page, "/guide");
  await open("/guide/api"); // with tables, code, and the longest contents
  await page.getByRole("searchbox", { name: "Search the guide" }).fill("idempotency");
  await page.getByRole("link", { name: /^API › Idempotency/ }).waitFor();
  findings.push(...(await findingsOn(page, "/guide/api with search results")));
  expect(findings).toEqual([]);
});

journey("the API reference and the problem pages have no serious violations", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  // Scalar's schema library tries whether it may compile functions, and does without.
  const { page, open } = await visit({ cookie, expected: ["policy: script-src by eval"] });
  const findings: string[] = [];
  for (const path of ["/docs/problems", "/docs/problems/validation_failed"]) {
    await open(path);
    findings.push(...(await findingsOn(page, path)));
  }
  await open("/docs");
  await page.getByRole("heading", { level: 1, name: "Mailvet" }).waitFor();
  findings.push(...(await findingsOn(page, "/docs", UNNAMED_BY_SCALAR)));
  expect(findings).toEqual([]);
});

journey("the steps of two-factor sign-in have no serious violations", async ({ service, visit }) => {
  const { cookie, email, password } = await service.openAccount();
  const findings: string[] = [];
  const { page, open } = await visit({ cookie });
  await open("/settings");
  const section = page.getByRole("region", { name: "Two-factor sign-in" });
  await section.getByRole("textbox", { name: "Your password" }).fill(password);
  await section.getByRole("button", { name: "Set up" }).click();
  const secret = (await section.getByText(/^[A-Z2-7]{32}$/).textContent())!;
  findings.push(...(await findingsOn(page, "/settings with a QR code")));
  await section.getByRole("textbox", { name: "Code" }).fill(new TOTP({ secret }).generate());
  await section.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("dialog", { name: "Recovery codes" }).waitFor();
  findings.push(...(await findingsOn(page, "/settings with recovery codes")));

  const other = await visit({ expected: ["401 POST /api/v1/auth/sign-in"] });
  await other.open("/sign-in");
  await other.page.getByLabel("Email").fill(email);
  await other.page.getByRole("textbox", { name: "Password" }).fill(password);
  await other.page.getByRole("button", { name: "Sign in" }).click();
  await other.page.getByRole("textbox", { name: "Code" }).waitFor();
  findings.push(...(await findingsOn(other.page, "/sign-in with a code")));
  expect(findings).toEqual([]);
});

journey("passkeys at sign-in and in the settings have no serious violations", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  const visitor = await visit({ usesLocalhost: true });
  await visitor.open("/sign-in");
  await visitor.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  const findings = await findingsOn(visitor.page, "/sign-in with passkeys");
  const { page, open } = await visit({ cookie, usesLocalhost: true });
  await open("/settings");
  await page.getByRole("region", { name: "Passkeys" }).getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Add passkey" });
  await dialog.getByRole("button", { name: "Add passkey" }).click(); // with empty fields
  await dialog.getByText("Enter your password.").waitFor();
  findings.push(...(await findingsOn(page, "/settings with a new passkey")));
  expect(findings).toEqual([]);
});

journey("the pages of an empty account have no serious violations", async ({ service, visit }) => {
  const { cookie } = await service.openAccount({ credits: 0 });
  const { page, open } = await visit({ cookie });
  const findings: string[] = [];
  for (const path of ["/", "/validate", "/bulk", "/lists", "/webhooks", "/usage"]) {
    await open(path);
    findings.push(...(await findingsOn(page, path)));
  }
  expect(findings).toEqual([]);
});

journey("the pages of an account with data have no serious violations", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 1000 });
  const client = createClient({ baseUrl: service.url, apiKey: key });
  const { doneId, runningId } = await createJobs(client);
  const { id: listId } = await client.lists.create({ job_id: doneId, name: "Customers", tags: ["crm"] });
  const { page, open } = await visit({ cookie });
  const findings: string[] = [];
  for (const path of [
    "/",
    "/bulk",
    `/bulk/${doneId}`,
    `/bulk/${runningId}`,
    "/lists",
    `/lists/${listId}`,
    "/usage",
    "/audit",
    "/settings",
  ]) {
    await open(path);
    findings.push(...(await findingsOn(page, path)));
  }
  expect(findings).toEqual([]);
});

journey("results and previews have no serious violations", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  const { page, open } = await visit({ cookie });
  const findings: string[] = [];
  await open("/validate");
  for (const name of ["valid", "greylisted", "possible-typo"]) {
    await page.getByRole("button", { name: `${name}@`, exact: true }).click();
    await page.getByRole("article", { name: `Result for ${name}@mailvet.test` }).waitFor();
    findings.push(...(await findingsOn(page, `/validate ${name}`)));
  }
  await open("/bulk");
  await page
    .getByLabel("File with emails")
    .setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(LIST) });
  await page.getByRole("button", { name: "Start validation" }).waitFor();
  findings.push(...(await findingsOn(page, "/bulk with a preview")));
  expect(findings).toEqual([]);
});

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

const LIST = `email\n${Array.from({ length: 20 }, (_, n) => `valid+${n}@mailvet.test`).join("\n")}\n`;

/** A completed job and an active one. */
async function createJobs({ jobs }: Client) {
  const start = async (content: string) => {
    const { upload_id } = await jobs.upload({ name: "list.csv", content: new Blob([content]) });
    return (await jobs.confirm({ uploadId: upload_id, emailColumn: "email" })).id;
  };
  const doneId = await start(`${LIST}mailbox-not-found@mailvet.test\ncatch-all@mailvet.test\n`);
  await jobs.wait(doneId, { signal: AbortSignal.timeout(540_000) });
  const runningId = await start(`${LIST}ann@slow.example-lab.com\n`);
  return { doneId, runningId };
}

/** Fields and icon buttons of the API reference that Scalar renders without a name; its markup cannot be changed. */
const UNNAMED_BY_SCALAR = [".code-input-lite__editor", "#reference button.right-1", "#reference button.-m-1"];

const SERIOUS: readonly (string | null | undefined)[] = ["serious", "critical"];

/** Violations after the page has loaded. In the dark scheme only the contrast is checked. */
async function findingsOn(page: Page, name: string, excluded: readonly string[] = []): Promise<string[]> {
  await page.getByRole("heading", { level: 1, includeHidden: true }).first().waitFor({ state: "attached" });
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "hidden" });
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await colorSchemeApplied(page, colorScheme);
    const axe = new AxeBuilder({ page }).setLegacyMode();
    for (const selector of excluded) axe.exclude(selector);
    if (colorScheme === "dark") axe.withRules("color-contrast");
    const { violations } = await axe.analyze();
    for (const { id, impact, nodes } of violations.filter(({ impact }) => SERIOUS.includes(impact))) {
      const where = nodes.map(({ target, any }) => `${target} ${any[0]?.message ?? ""}`).join("\n    ");
      found.push(`${name}, ${colorScheme}: ${impact} ${id}\n    ${where}`);
    }
  }
  return found;
}

/**
 * Waits until the new colours are painted. An inherited colour starts a transition of its own in each child when the
 * parent's has ended, so the page is settled after two frames in a row without any.
 */
async function colorSchemeApplied(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: "attached" });
  await page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const transitions = () => document.getAnimations().filter((one) => one instanceof CSSTransition);
    for (let still = 0; still < 2; ) {
      await frame();
      const running = transitions();
      still = running.length > 0 ? 0 : still + 1;
      await Promise.allSettled(running.map(({ finished }) => finished));
    }
  })()`);
}

function focusedLabel(page: Page): Promise<string> {
  return page.evaluate("document.activeElement?.labels?.[0]?.textContent ?? ''");
}

function fadeSeconds(element: Locator): Promise<number> {
  return element.evaluate((node) =>
    Number.parseFloat(node.ownerDocument.defaultView!.getComputedStyle(node).transitionDuration),
  );
}
