/** Journeys of an account: API keys, credits granted by the operator, an expired session. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { OPERATOR } from "../../service/test/service.ts";
import { snippetsFor } from "../src/pages/keys/snippets.ts";
import { journeysIn } from "./journey.ts";
import { SESSION_ENDS } from "./visitor.ts";

const journey = journeysIn({ env: { SIGN_UP_PLAN: "payg", SIGN_UP_CREDITS: "5" } });

journey("a new account creates a key, calls the API with it, and revokes it", async ({ service, visit }) => {
  const { page, open, follow } = await visit();
  await open("/");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByRole("heading", { name: "Create account" }).waitFor();
  await page.getByLabel("Email").fill("ann at shop.example");
  await page.getByRole("textbox", { name: "Password" }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Enter an email address.").waitFor();
  await page.getByText("5 more characters").waitFor();
  await page.getByLabel("Email").fill("ann@shop.example");
  await page.getByRole("textbox", { name: "Password" }).fill("a horse, a battery, a staple");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("link", { name: "5 credits" }).waitFor();

  await follow("API keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("dialog", { name: "Create key" });
  await form.getByRole("button", { name: "Create key" }).click();
  await form.getByText("Enter a name.").waitFor();
  await form.getByLabel("Name").fill("Sign-up form");
  await form.getByRole("button", { name: "Create key" }).click();

  const created = page.getByRole("dialog", { name: "Key created" });
  const key = (await created.getByText(/^mv_live_\w+$/).textContent())!;
  const pasted = await created.getByRole("tabpanel").locator("pre").allTextContents();
  const script = `${pasted.join("\n")} --silent`;
  const ask = async () => JSON.parse((await promisify(execFile)("sh", ["-e", "-c", script])).stdout);
  expect(await ask()).toMatchObject({ status: "valid" });
  for (const language of ["JavaScript", "Python"] as const) {
    await created.getByRole("tab", { name: language }).click();
    const { shell, code } = snippetsFor(key, service.url)[language]; // run by service/test/pasted-examples.test.ts and npm run test:python
    expect(await created.getByRole("tabpanel").locator("pre").allTextContents()).toEqual([shell, code]);
  }
  await created.getByRole("button", { name: "Done" }).click();

  const row = page.getByRole("row").filter({ hasText: "Sign-up form" });
  expect(await page.getByText(key).count()).toBe(0);
  await row.getByRole("button", { name: "Actions for Sign-up form" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await row.getByText("Revoked", { exact: true }).waitFor();
  expect(await ask()).toMatchObject({ status: 401, code: "invalid_api_key" });
});

journey(
  "running out of credits is reported, loses nothing, and ends when the operator grants more",
  async (context) => {
    const { service, visit } = context;
    const { email, cookie, key } = await service.openAccount({ credits: 0 }); // in addition to those of the sign-up
    const spend = () => service.ask("/validation/single?email=valid@mailvet.test", { key });
    const customer = await visit({
      cookie,
      expected: ["402 POST /api/v1/bulk/upload/confirm", "402 POST /api/v1/validation/single"],
    });
    const { page } = customer;
    const { body: account } = await service.ask("/account", { cookie });
    await page.route("**/api/v1/account", (route) => route.fulfill({ json: account }));

    await customer.open("/bulk");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose file" }).first().click();
    const buffer = Buffer.from(`email\n${[1, 2, 3, 4, 5].map((n) => `valid+${n}@mailvet.test\n`).join("")}`);
    await (await chooser).setFiles({ name: "five.csv", mimeType: "text/csv", buffer });
    await page.getByText("0 credits left afterwards").waitFor();
    await spend(); // through the API, while the page still shows five
    await page.unroute("**/api/v1/account");
    await page.getByRole("button", { name: "Start validation" }).click();
    await page.getByRole("alert").getByText("Not enough credits").waitFor();
    await page.getByText("1 credit missing.").waitFor();
    await page.getByRole("heading", { name: "five.csv" }).waitFor();

    for (let left = 4; left > 0; left--) await spend();
    await customer.follow("Validate");
    const check = async () => {
      await page.getByLabel("Email address").fill("ann@polite.example-lab.com"); // the sandbox is free here
      await page.getByRole("button", { name: "Check (1 credit)" }).click();
    };
    await check();
    const refusal = page.getByRole("alert").filter({ hasText: "You are out of credits" });
    await refusal.getByText("you have 0 credits").waitFor();

    const operator = await visit();
    await operator.open("/operator/accounts");
    await signIn(operator.page, OPERATOR);
    const search = operator.page.getByRole("searchbox", { name: "Search" });
    const one = operator.page.getByText("1 account", { exact: true });
    await search.fill(email);
    await one.waitFor();
    await operator.follow("Accounts"); // shows all of them
    await one.waitFor({ state: "detached" });
    expect(await search.inputValue()).toBe("");
    await search.fill(email);
    await one.waitFor();
    await operator.page.getByRole("link", { name: email }).click();
    const credits = operator.page.getByRole("region", { name: "Credits", exact: true });
    const count = credits.getByLabel("Credits", { exact: true });
    await count.fill("1.5");
    await credits.getByRole("button", { name: "Grant credits" }).click();
    await credits.getByText("Enter a whole number.").waitFor();
    expect(await count.inputValue()).toBe("1.5");
    await count.fill("6");
    await credits.getByLabel("Note").fill("welcome back");
    await credits.getByRole("button", { name: "Grant credits" }).click();
    await credits.getByText("Done. The balance is 6 credits.").waitFor();

    await check();
    await page.getByRole("heading", { name: "How we decided" }).waitFor();
    await page.getByRole("link", { name: "5 credits" }).waitFor();
    await customer.follow("Usage and credits");
    await page.getByRole("listitem").filter({ hasText: "welcome back" }).first().waitFor();
    for (let steps = 3; steps > 0; steps--) await page.goBack(); // verdict, empty form, bulk page
    await page.getByRole("heading", { name: "five.csv" }).waitFor();
    await page.getByRole("button", { name: "Start validation" }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.getByRole("link", { name: "5 credits" }).waitFor(); // sandbox addresses are refunded
  },
);

journey(
  "an expired session leads to the sign-in page, and from there back to the same page",
  async (context) => {
    const { service, visit } = context;
    const person = await service.openAccount({ credits: 5 });
    const { body: job } = await service.ask("/bulk/jobs", {
      key: person.key,
      body: { emails: ["valid@mailvet.test"], name: "one" },
    });
    const { page, open, follow, settled } = await visit({
      expected: ["401 POST /api/v1/auth/sign-in", SESSION_ENDS],
    });
    const end = () =>
      service.database.pool.query("update sessions set expires_at = now() where account_id = $1", [
        person.accountId,
      ]);
    await open("/");
    await signIn(page, { ...person, password: "not this one" });
    await page.getByText("Wrong email or password").waitFor();
    await signIn(page, person);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await settled();

    await end();
    await follow("Audit log"); // which the overview has not read before
    await page.getByText("Sign in to continue.").waitFor();
    await signIn(page, person);
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();

    await open("/usage?days=7");
    await page.getByRole("heading", { level: 1, name: "Usage and credits" }).waitFor();
    await settled();
    await end();
    await page.reload();
    await signIn(page, person);
    await page.getByRole("heading", { level: 1, name: "Usage and credits" }).waitFor();
    expect(new URL(page.url()).search).toBe("?days=7");

    await open(`/bulk/${job.id}`);
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByRole("link", { name: "All rows as CSV" }).waitFor();
    await settled();
    await end();
    await page.getByRole("link", { name: "All rows as CSV" }).click();
    await page.getByText("Sign in to continue.").waitFor();
    await signIn(page, person);
    await page.getByRole("heading", { level: 1, name: "one" }).waitFor();
  },
);

journey("what was typed outlasts the end of the session, for the same account only", async (context) => {
  const { service, visit } = context;
  const [ann, bob] = [await service.openAccount({ credits: 5 }), await service.openAccount()];
  const { page, open, follow, settled } = await visit({
    cookie: ann.cookie,
    expected: ["401 POST /api/v1/bulk/upload/preview", "401 POST /api/v1/webhooks", SESSION_ENDS],
  });
  const end = () =>
    service.database.pool.query("update sessions set expires_at = now() where account_id = $1", [
      ann.accountId,
    ]);
  await open("/bulk");
  await page.getByRole("tab", { name: "Paste" }).click();
  const list = page.getByRole("textbox", { name: "Emails" });
  await list.fill("valid@mailvet.test");
  await settled();
  await end();
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("Sign in to continue.").waitFor();
  await list.waitFor({ state: "hidden" });
  await signIn(page, ann);
  expect(await list.inputValue()).toBe("valid@mailvet.test");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("button", { name: "Start validation" }).waitFor();

  await follow("Validate");
  const address = page.getByLabel("Email address");
  await address.fill("not sent yet");
  await settled();
  await end();
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Search pages, jobs and keys" }).fill("a key");
  await page.getByText("Sign in to continue.").waitFor();
  await signIn(page, ann);
  expect(await address.inputValue()).toBe("not sent yet");
  await page.locator("main:focus").waitFor(); // the palette, which had it, is gone
  await settled();
  expect(await page.getByRole("dialog").count()).toBe(0);

  await follow("Webhooks");
  await page.getByRole("button", { name: "Add endpoint" }).first().click();
  const dialog = page.getByRole("dialog");
  const url = dialog.getByRole("textbox", { name: "URL" });
  await url.fill(`${service.url}/health`);
  await settled();
  const addAfterEnd = async () => {
    await end();
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    await page.getByText("Sign in to continue.").waitFor();
    await dialog.waitFor({ state: "hidden" });
  };
  await addAfterEnd();
  await signIn(page, ann);
  expect(await url.inputValue()).toBe(`${service.url}/health`);

  await settled();
  await addAfterEnd();
  await signIn(page, bob);
  await page.getByRole("button", { name: `Account ${bob.email}` }).waitFor();
  expect(await dialog.count()).toBe(0);
});

journey(
  "the operator sees the age of the reference lists, and that automatic refresh is off",
  async ({ service, visit }) => {
    const { page, open } = await visit({ cookie: await service.operatorCookie() });
    await open("/operator/system");
    const lists = page.getByRole("region", { name: "Reference lists" });
    await lists
      .getByText(/^[\d,.\s]+ disposable domains, as released, .* old\. Automatic refresh is off/)
      .waitFor();
  },
);

journey("the operator redrives a task that failed for good", async ({ service, visit }) => {
  const { accountId } = await service.openAccount({ credits: 1 });
  const { pool } = service.database;
  const { rows } = await pool.query(
    `insert into rechecks (account_id, request_id, email, address_hash, is_test)
     values ($1, 'r', 'valid@mailvet.test', '\\x00', false) returning id`,
    [accountId],
  );
  const counts = { failures: 5, losses: 0 };
  const letter = { queue: "recheck", groupId: accountId, accountId, subject: rows[0].id, ...counts };
  await pool.query("insert into pgboss.job (name, data) values ('dead_letter', $1)", [
    { ...letter, error: "out of memory", details: {} },
  ]);
  const { page, open } = await visit({ cookie: await service.operatorCookie() });
  await open("/operator/system");
  const letters = page.getByRole("region", { name: "Dead letters" });
  await letters.getByText("out of memory").waitFor();
  await letters.getByRole("button", { name: "Redrive" }).click();
  await letters.getByText("No failed tasks in the last 30 days").waitFor();
});

journey(
  "two-factor sign-in is enabled, used with a code and a recovery code, which are replaced, and disabled",
  async (context) => {
    const { service, visit } = context;
    const person = await service.openAccount();
    const { page, open } = await visit({
      expected: [
        "401 POST /api/v1/auth/sign-in",
        "422 POST /api/v1/auth/two-factor/confirm",
        "422 POST /api/v1/auth/two-factor/disable",
        SESSION_ENDS,
      ],
    });
    await open("/settings");
    await signIn(page, person);
    const section = page.getByRole("region", { name: "Two-factor sign-in" });
    await section.getByRole("button", { name: "Set up" }).click();
    await section.getByText("This field is required.").waitFor(); // and has the focus
    await page.keyboard.type(person.password);
    await page.keyboard.press("Enter");
    await section.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
    const secret = (await section.getByText(/^[A-Z2-7]{32}$/).textContent())!;
    const stepMs = 30_000;
    const code = (steps = 0) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * stepMs });
    await page.keyboard.type("000000"); // the field has the focus
    await page.keyboard.press("Enter");
    await section.getByText("The code is incorrect or was used already.").waitFor();
    await section.getByRole("textbox", { name: "Code" }).fill(code());
    await section.getByRole("button", { name: "Enable" }).click();
    const dialog = page.getByRole("dialog", { name: "Recovery codes" });
    const recoveryCodes = (await dialog.getByText(/^([a-z2-7]{4}-){3}/).textContent())!.split("\n");
    expect(recoveryCodes).toHaveLength(10);
    await dialog.getByRole("button", { name: "Done" }).click();
    await section.getByText("Enabled. 10 recovery codes left.").waitFor();
    await page.locator("main:focus").waitFor(); // what opened the dialog is gone

    const signOut = async () => {
      await page.getByRole("button", { name: "Sign out of this browser" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    };
    const enterCode = async (text: string) => {
      await page.getByRole("textbox", { name: "Code" }).fill(text);
      await page.getByRole("button", { name: "Sign in" }).click();
    };
    await signOut();
    await open("/settings");
    await signIn(page, person);
    await page.getByRole("heading", { level: 1, name: "Two-factor sign-in" }).waitFor();
    await enterCode("");
    await page.getByText("This field is required.").waitFor();
    await enterCode("000000");
    await page.getByText("The code is incorrect or was used already.").waitFor();
    await enterCode(code(1));
    await section.getByText("Enabled. 10 recovery codes left.").waitFor();

    await signOut();
    await open("/settings");
    await signIn(page, person);
    await enterCode(recoveryCodes[0]!);
    await section.getByText("Enabled. 9 recovery codes left.").waitFor();

    await section.getByRole("button", { name: "New recovery codes" }).click();
    await section.getByText("This field is required.").waitFor(); // and has the focus
    await page.keyboard.type(person.password);
    await section.getByRole("textbox", { name: "Code" }).fill(recoveryCodes[1]!);
    await page.keyboard.press("Enter");
    const replaced = (await dialog.getByText(/^([a-z2-7]{4}-){3}/).textContent())!.split("\n");
    await dialog.getByRole("button", { name: "Done" }).click();
    await section.getByText("Enabled. 10 recovery codes left.").waitFor();

    await section.getByRole("textbox", { name: "Your password" }).fill(person.password);
    await section.getByRole("textbox", { name: "Code" }).fill(recoveryCodes[2]!);
    await section.getByRole("button", { name: "Disable" }).click();
    await section.getByText("The code is incorrect or was used already.").waitFor();
    await section.getByRole("textbox", { name: "Code" }).fill(replaced[0]!);
    await section.getByRole("button", { name: "Disable" }).click();
    await section.getByRole("button", { name: "Set up" }).waitFor();
    await signOut();
    await open("/settings");
    await signIn(page, person);
    await section.getByRole("button", { name: "Set up" }).waitFor();
  },
);

journey("a passkey is added, renamed, signs in, and is removed", async ({ service, visit }) => {
  const person = await service.openAccount();
  const { page, open } = await visit({
    usesLocalhost: true,
    expected: ["401 POST /api/v1/auth/passkeys/options", SESSION_ENDS],
  });
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await open("/settings");
  await signIn(page, person);
  const section = page.getByRole("region", { name: "Passkeys" });
  await section.getByText("No passkeys yet.").waitFor();
  await section.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add passkey" }).click();
  await dialog.getByText("Enter a name.").waitFor();
  await dialog.getByText("Enter your password.").waitFor();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Test laptop");
  await dialog.getByRole("textbox", { name: "Your password" }).fill("a wrong guess");
  await dialog.getByRole("button", { name: "Add passkey" }).click();
  await dialog.getByText("Wrong password.").waitFor();
  await dialog.getByRole("textbox", { name: "Your password" }).fill(person.password);
  await dialog.getByRole("button", { name: "Add passkey" }).click();
  await section.getByText("Test laptop").waitFor();
  await section.getByText(/never used/).waitFor();

  await section.getByRole("button", { name: "Rename Test laptop" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill(" ");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await dialog.getByText("Enter a name.").waitFor();
  await page.keyboard.type("Old laptop"); // the field has the focus
  await page.keyboard.press("Enter");
  await section.getByText("Old laptop").waitFor();
  await section.locator("button:focus", { hasText: "Rename" }).waitFor();

  await page.getByRole("button", { name: "Sign out of this browser" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await open("/settings");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await section.getByText(/last used/).waitFor();

  await section.getByRole("button", { name: "Remove Old laptop" }).click();
  await dialog.getByRole("button", { name: "Use a passkey instead" }).click();
  await section.getByText("No passkeys yet.").waitFor();
});

async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByRole("textbox", { name: "Email", exact: true }).fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
