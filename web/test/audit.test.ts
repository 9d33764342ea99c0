/** Journeys through the audit log and the operator keys. */
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();

journey("an owner finds a revoked key in the audit log, and exports it", async ({ service, visit }) => {
  const { cookie, makeKey } = await service.openAccount();
  const { id } = await makeKey();
  await service.ask(`/keys/${id}`, { method: "DELETE", cookie });
  const { page, open, follow } = await visit({ cookie });
  await open("/");
  await follow("Audit log");
  const table = page.getByRole("table", { name: "Audit log" });
  await table.getByText("Plan changed").waitFor();
  expect(await table.getByRole("row").count()).toBeGreaterThan(5);

  await page.getByLabel("Action").selectOption("API key revoked");
  await expect.poll(() => table.getByRole("row").count()).toBe(2);
  const row = table.getByRole("row").nth(1);
  expect(await row.textContent()).toMatch(/API key revoked.*name: a key.*Web app.*127\.0\.0\.1/);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("audit-log.csv");
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`key.revoked`);
  expect(lines[1]).toContain(id);

  await page.getByLabel("To").fill("2020-01-01");
  await page.getByText("No entries").waitFor();
});

journey("an operator creates a key for a script, and sees what it did", async ({ service, visit }) => {
  const { accountId, email } = await service.openAccount();
  const { page, open, follow } = await visit({
    cookie: await service.operatorCookie(),
    expected: ["422 POST /api/v1/operator/keys"],
  });
  await open("/operator/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("dialog", { name: "Create key" });
  await form.getByLabel("Name").fill("Billing");
  await form.getByLabel("credits:write").check();
  await form.getByLabel("Allowed addresses").fill("127.0.0.1\nnonsense");
  await form.getByRole("button", { name: "Create key" }).click();
  await form.getByText(/"nonsense" is not an address range/).waitFor();
  await form.getByLabel("Allowed addresses").fill("127.0.0.1\n2001:db8::/48");
  await form.getByRole("button", { name: "Create key" }).click();
  const created = page.getByRole("dialog", { name: "Operator key created" });
  const key = (await created.getByText(/^mv_op_\w+$/).textContent())!;
  await created.getByRole("button", { name: "Done" }).click();

  const grant = () => service.ask(`/operator/accounts/${accountId}/grants`, { key, body: { amount: 4321 } });
  expect((await grant()).status).toBe(201);
  const keys = page.getByRole("table", { name: "Operator keys" });
  await keys.getByRole("button", { name: "Actions for Billing" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await keys.getByText("Revoked").waitFor();
  expect((await grant()).status).toBe(401);

  await follow("All audit logs");
  await page.getByLabel("Action").selectOption("Credits granted or deducted");
  const row = page.getByRole("row").filter({ hasText: "amount: 4321" });
  await row.waitFor();
  expect(await row.textContent()).toContain(email);
  expect(await row.textContent()).toContain("Operator key");
});
