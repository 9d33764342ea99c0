/** The life of an account in the browser: opened by the operator, activated, suspended, resumed, exported, erased. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";
import { SESSION_ENDS } from "./visitor.ts";

const journey = journeysIn({ env: { SIGN_UP: "closed" } });
const PASSWORD = "a horse, a battery, a staple";

journey("an account is opened by link, suspended, resumed and erased", async ({ service, visit }) => {
  const email = "ann@shop.example";
  const operator = await visit({
    cookie: await service.operatorCookie(),
    expected: ["404 GET *", "503 HEAD *"],
  });
  await operator.open("/operator/accounts");
  await operator.page.getByRole("button", { name: "Create account" }).click();
  const form = operator.page.getByRole("dialog", { name: "Create account" });
  await form.getByRole("button", { name: "Create account" }).click();
  await form.getByText("This field is required.").waitFor();
  await form.getByLabel("Email").fill(email);
  await form.getByLabel("Credits").fill("25");
  await form.getByRole("button", { name: "Create account" }).click();
  const invitation = operator.page.getByRole("dialog", { name: "Invitation link" });
  const link = new URL((await invitation.getByText(/token=/).textContent())!);
  await invitation.getByRole("button", { name: "Done" }).click();
  await operator.page.getByRole("heading", { level: 1, name: email }).waitFor();
  await operator.page.getByText("Invited", { exact: true }).waitFor();

  const ann = await visit({
    expected: ["403 GET *", "403 POST /api/v1/auth/sign-in", SESSION_ENDS],
  });
  await ann.open(`${link.pathname}${link.search}`);
  await ann.page.getByRole("heading", { name: "Choose a password" }).waitFor();
  await ann.page.getByRole("textbox", { name: "New password" }).fill(PASSWORD);
  await ann.page.getByRole("button", { name: "Activate account" }).click();
  await ann.page.getByRole("link", { name: "Sign in" }).click();
  await signIn(ann.page, email);
  await ann.page.getByRole("link", { name: "25 credits" }).waitFor();
  await ann.settled();

  await operator.page.reload();
  await operator.page.getByRole("button", { name: "Suspend", exact: true }).click();
  const reason = operator.page.getByRole("dialog", { name: `Suspend ${email}?` });
  await reason.getByLabel("Reason").fill("Unpaid invoice");
  await reason.getByRole("button", { name: "Suspend" }).click();
  await operator.page.getByRole("alert").getByText("Unpaid invoice").waitFor();

  await ann.follow("Audit log");
  await ann.page.getByRole("heading", { name: "Account suspended" }).waitFor();
  await ann.page.getByText("This account is suspended: Unpaid invoice").waitFor();
  await ann.page.getByRole("button", { name: "Check again" }).click();
  await ann.page.getByRole("button", { name: "Sign out" }).click();
  await signIn(ann.page, email);
  await ann.page.getByRole("alert").getByText("This account is suspended: Unpaid invoice").waitFor();

  await operator.page.getByRole("button", { name: "Resume" }).click();
  await operator.page.getByText("Active", { exact: true }).waitFor();
  await ann.page.getByRole("button", { name: "Sign in" }).click();
  await ann.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await ann.page.close();

  const exporting = operator.page.getByRole("button", { name: "Export" });
  await operator.page.route("**/export", (route) => route.fulfill({ status: 503 }), { times: 1 });
  await exporting.click();
  await operator.page.getByRole("alert").getByText("The export has failed.").waitFor();
  const download = operator.page.waitForEvent("download");
  await exporting.click();
  expect((await download).suggestedFilename()).toBe(`mailvet-${email}.zip`);

  await operator.page.getByRole("button", { name: "Erase" }).click();
  const erase = operator.page.getByRole("dialog", { name: `Erase ${email}?` });
  await erase.getByLabel("Type the email").fill(email);
  await erase.getByLabel("Reason").fill("The owner asked for it");
  await erase.getByRole("button", { name: "Erase account" }).click();
  await operator.page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();
  await operator.page.getByText("1 account", { exact: true }).waitFor();
  expect(await operator.page.getByRole("link", { name: email }).count()).toBe(0);
  await operator.page.goBack();
  await operator.page.getByRole("heading", { level: 1, name: "Account not found" }).waitFor();
  await operator.page.getByRole("link", { name: "Go to accounts" }).click();
  await operator.page.getByText("1 account", { exact: true }).waitFor();
});

journey("an owner exports and closes the account from Settings", async ({ service, visit }) => {
  const cookie = await service.operatorCookie();
  const { body } = await service.ask("/operator/accounts", { cookie, body: { email: "bob@shop.example" } });
  const token = new URL(body.invitation_link).searchParams.get("token");
  await service.ask("/auth/password-reset/confirm", { body: { token, new_password: PASSWORD } });
  const { page, open } = await visit({
    expected: ["401 POST /api/v1/account/close", SESSION_ENDS],
  });
  await open("/settings");
  await signIn(page, "bob@shop.example");
  const data = page.getByRole("region", { name: "Your data" });
  await data.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  const download = page.waitForEvent("download");
  await data.getByRole("button", { name: "Export" }).click();
  expect((await download).suggestedFilename()).toBe("mailvet-bob@shop.example.zip");

  await data.getByRole("button", { name: "Close account" }).click();
  const dialog = page.getByRole("dialog", { name: "Close your account?" });
  await dialog.getByRole("textbox", { name: "Your password" }).fill("not the password");
  await dialog.getByRole("button", { name: "Close account for good" }).click();
  await dialog.getByText("Wrong password.").waitFor();
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Close account for good" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const { body: accounts } = await service.ask("/operator/accounts?search=bob@", { cookie });
  expect(accounts).toEqual([]);
});

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}
