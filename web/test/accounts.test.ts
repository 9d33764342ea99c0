/** Stories of an account: a key of its own, credits from the operator, a session that ends. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { OPERATOR } from "../../service/test/service.ts";
import { journeysIn } from "./world.ts";

const journey = journeysIn({ env: { SIGN_UP_PLAN: "payg", SIGN_UP_CREDITS: "5" } });

journey("somebody signs up, makes a key, uses it from a program, and takes it back", async ({ visit }) => {
  const { page, open, follow } = await visit();
  await open("/");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByRole("heading", { name: "Open an account" }).waitFor();
  await page.getByLabel("Email").fill("ann@shop.example");
  await page.getByRole("textbox", { name: "Password" }).fill("a horse, a battery, a staple");
  await page.getByRole("button", { name: "Open the account" }).click();
  await page.getByRole("link", { name: "5 credits" }).waitFor();

  await follow("API keys");
  await page.getByRole("button", { name: "Make a key" }).click();
  const form = page.getByRole("dialog", { name: "Make a key" });
  await form.getByRole("button", { name: "Make the key" }).click();
  await form.getByText("Please give it a name.").waitFor();
  await form.getByLabel("Name").fill("Sign-up form");
  await form.getByRole("button", { name: "Make the key" }).click();

  const made = page.getByRole("dialog", { name: "Your new key" });
  const key = (await made.getByText(/^mv_live_\w+$/).textContent())!;
  const example = requestIn((await made.getByText(/^curl /).textContent())!);
  expect(new Headers(example.headers).get("x-api-key")).toBe(key);
  const answer = await fetch(example.url, example);
  expect([answer.status, await answer.json()]).toMatchObject([200, { status: "valid" }]);
  await made.getByRole("button", { name: "I have kept it" }).click();

  const line = page.getByRole("listitem").filter({ hasText: "Sign-up form" });
  expect(await page.getByText(key).count()).toBe(0);
  await line.getByRole("button", { name: "Revoke Sign-up form" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke the key" }).click();
  await line.getByText("Revoked", { exact: true }).waitFor();
  expect((await fetch(example.url, example)).status).toBe(401);
});

/** The request that a curl line stands for. */
function requestIn(curl: string) {
  const url = /^curl (\S+)/.exec(curl)![1]!;
  const headers = [...curl.matchAll(/-H "(.+?): (.+?)"/g)].map(([, name, value]) => [name!, value!]);
  const body = /-d '(.+)'/.exec(curl)![1]!;
  return { url, method: "POST", headers: Object.fromEntries(headers), body };
}

journey(
  "who runs out of credits is told so, loses nothing, and goes on when the operator gives more",
  async (scene) => {
    const { service, visit } = scene;
    const { email, cookie, key } = await service.openAccount({ credits: 0 }); // beside those for signing up
    const spend = () => service.ask("/validation/single?email=valid@mailvet.test", { key });
    const customer = await visit({
      cookie,
      expected: ["402 POST /api/v1/bulk/upload/confirm", "402 POST /api/v1/validation/single"],
    });
    const { page } = customer;

    await customer.open("/bulk");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file" }).first().click();
    const buffer = Buffer.from(`email\n${[1, 2, 3, 4, 5].map((n) => `valid+${n}@mailvet.test\n`).join("")}`);
    await (await chooser).setFiles({ name: "five.csv", mimeType: "text/csv", buffer });
    await page.getByText("0 of 5 are left then").waitFor();
    await spend(); // by a program, while the page still shows five
    await page.getByRole("button", { name: "Start validating" }).click();
    await page.getByRole("alert").getByText("There are not enough credits").waitFor();
    await page.getByText("1 credit is missing.").waitFor();
    await page.getByRole("heading", { name: "five.csv" }).waitFor();

    for (let left = 4; left > 0; left--) await spend();
    await customer.follow("Validate");
    await page.getByRole("button", { name: "valid@", exact: true }).click();
    const refusal = page.getByRole("alert").filter({ hasText: "You are out of credits" });
    await refusal.getByText("you have 0 credits").waitFor();

    const operator = await visit();
    await operator.open("/operator/accounts");
    await signIn(operator.page, OPERATOR);
    await operator.page.getByLabel("Search").fill(email);
    await operator.page.getByText("1 account", { exact: true }).waitFor();
    await operator.page.getByRole("button", { name: `Plan and credits of ${email}` }).click();
    const dialog = operator.page.getByRole("dialog");
    await dialog.getByLabel("Credits", { exact: true }).fill("6");
    await dialog.getByLabel("Note").fill("welcome back");
    await dialog.getByRole("button", { name: "Give them" }).click();
    await dialog.getByText("Done. The balance is 6 credits.").waitFor();

    await page.getByRole("button", { name: "valid@", exact: true }).click();
    await page.getByRole("heading", { name: "How we came to it" }).waitFor();
    await page.getByRole("link", { name: "5 credits" }).waitFor();
    await customer.follow("Usage and credits");
    await page.getByRole("row").filter({ hasText: "welcome back" }).waitFor();
    for (let steps = 3; steps > 0; steps--) await page.goBack(); // the verdict, the empty form, the list
    await page.getByRole("heading", { name: "five.csv" }).waitFor();
    await page.getByRole("button", { name: "Start validating" }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.getByRole("link", { name: "0 credits" }).waitFor();
  },
);

journey("a session that has ended leads to the door, and from there back to the same page", async (scene) => {
  const { service, visit } = scene;
  const person = await service.openAccount();
  const { page, open, follow } = await visit({
    expected: ["401 POST /api/v1/auth/sign-in", "401 GET /api/v1/webhooks"],
  });
  const end = () =>
    service.database.pool.query("update sessions set expires_at = now() where account_id = $1", [
      person.accountId,
    ]);
  await open("/");
  await signIn(page, { ...person, password: "not this one" });
  await page.getByText("Incorrect email or password").waitFor();
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

  await end();
  await follow("Webhooks");
  await page.getByText("Sign in, and you are back where you were.").waitFor();
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  await page.getByText("No endpoints yet").waitFor();

  await open("/usage?days=7");
  await page.getByRole("heading", { level: 1, name: "Usage and credits" }).waitFor();
  await end();
  await page.reload();
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: "Usage and credits" }).waitFor();
  expect(new URL(page.url()).search).toBe("?days=7");
});

journey(
  "the operator sees how old the reference lists are, and that no refresh is set",
  async ({ service, visit }) => {
    const { page, open } = await visit({ cookie: await service.operatorCookie() });
    await open("/operator/system");
    const lists = page.getByRole("region", { name: "Reference lists" });
    await lists
      .getByText(/^[\d,.\s]+ disposable domains, as released, .* old\. Automatic refresh is off/)
      .waitFor();
  },
);

async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
