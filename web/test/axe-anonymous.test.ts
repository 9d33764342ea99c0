/** Accessibility of the pages before and around sign-in, of the guide and of the API reference. */
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { findingsOn } from "./axe.ts";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();

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
  findings.push(...(await findingsOn(page, "/docs")));
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

function focusedLabel(page: Page): Promise<string> {
  return page.evaluate("document.activeElement?.labels?.[0]?.textContent ?? ''");
}
