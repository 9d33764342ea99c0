/** Several tabs of one browser, which share the session cookie. */
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";
import { SESSION_ENDS } from "./visitor.ts";

const journey = journeysIn();

journey("an anonymous tab notices a sign-in in another tab, and the sign-out", async ({ service, visit }) => {
  const ann = await service.openAccount();
  const { page: first } = await visit({ expected: [SESSION_ENDS] });
  const second = await first.context().newPage();
  await second.goto("/usage?days=7");
  await second.getByText("Sign in to continue.").waitFor();

  await first.goto("/sign-in");
  await first.getByLabel("Email").fill(ann.email);
  await first.getByRole("textbox", { name: "Password" }).fill(ann.password);
  await first.getByRole("button", { name: "Sign in" }).click();
  await first.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await second.getByRole("heading", { level: 1, name: "Usage and credits" }).waitFor();
  expect(new URL(second.url()).search).toBe("?days=7");

  await first.getByRole("button", { name: `Account ${ann.email}` }).click();
  await first.getByRole("menuitem", { name: "Sign out" }).click();
  await first.getByRole("heading", { name: "Sign in" }).waitFor();
  await second.getByText("Sign in to continue.").waitFor();
  expect(new URL(second.url()).searchParams.get("next")).toBe("/usage?days=7");
});

journey("a tab shows the account of the latest sign-in", async ({ service, visit }) => {
  const [ann, bob] = [await service.openAccount(), await service.openAccount()];
  const { page, settled } = await visit({ cookie: ann.cookie, expected: [SESSION_ENDS] });
  await page.goto("/");
  await page.getByRole("button", { name: `Account ${ann.email}` }).waitFor();
  const other = await page.context().newPage();
  await other.goto("/sign-up"); // redirects to the app
  await other.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await settled();
  await settled(other);
  await page.context().clearCookies();
  await other.goto("/sign-in");
  await other.getByLabel("Email").fill(bob.email);
  await other.getByRole("textbox", { name: "Password" }).fill(bob.password);
  await other.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: `Account ${bob.email}` }).waitFor();
});

journey("the back button after a sign-out shows no data of the session", async ({ service, visit }) => {
  const { cookie, email } = await service.openAccount();
  const { page, open, follow } = await visit({ cookie, expected: [SESSION_ENDS] });
  await open("/");
  await follow("API keys");
  await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  await page.getByRole("button", { name: `Account ${email}` }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

journey(
  "a form saves what was edited in it, and keeps what another tab has saved",
  async ({ service, visit }) => {
    const { cookie } = await service.openAccount();
    const endpoint = await service.ask("/webhooks", { cookie, body: { url: `${service.url}/health` } });
    const { page: first } = await visit({ cookie });
    const second = await first.context().newPage();
    const pages = [first, second] as const;
    for (const page of pages) {
      await page.goto(`/webhooks/${endpoint.body.id}`);
      await page.getByLabel("Description").waitFor();
    }
    await first.getByLabel("Description").fill("Orders");
    await first.getByRole("button", { name: "Save" }).click();
    await first.getByRole("heading", { level: 1, name: "Orders" }).waitFor();

    await second.getByLabel("URL").fill(`${service.url}/health?tab=2`);
    await second.getByRole("button", { name: "Save" }).click();
    await second.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    expect(await second.getByLabel("Description").inputValue()).toBe("Orders");
    expect(await second.getByLabel("URL").inputValue()).toBe(`${service.url}/health?tab=2`);
  },
);
