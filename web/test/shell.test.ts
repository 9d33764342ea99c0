/** The frame around every page: command palette, shortcuts, lost connection, unknown pages. */
import { expect } from "vitest";
import { formWith } from "../../service/test/service.ts";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();

journey("the command palette goes to pages, jobs and keys, and checks an address", async (context) => {
  const { service, visit } = context;
  const { cookie } = await service.openAccount({ credits: 10 });
  const ask = async (path: string, asked: object) => (await service.ask(path, { cookie, ...asked })).body;
  await ask("/keys", { body: { name: "Billing script" } });
  const preview = await ask("/bulk/upload/preview", {
    form: formWith("email\nvalid@mailvet.test\n", "spring-fair.csv"),
  });
  await ask("/bulk/upload/confirm", { body: { upload_id: preview.upload_id, email_column: "email" } });
  const { page, open } = await visit({ cookie });
  await open("/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  for (const [typed, found, heading] of [
    ["webh", "Webhooks", "Webhooks"],
    ["spring", "spring-fair.csv", "spring-fair.csv"],
    ["billing", /^Billing script/, "API keys"],
    ["ann@shop.example", "Check ann@shop.example", "Validate"],
  ] as const) {
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog");
    await palette.getByRole("textbox").fill(typed);
    await palette.getByText(found).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await palette.waitFor({ state: "hidden" });
  }
  expect(await page.getByLabel("Email address").inputValue()).toBe("ann@shop.example");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Ctrl").first().waitFor();
});

journey("a lost connection is one banner with a retry", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  const { page, open, follow } = await visit({ cookie });
  await open("/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.context().setOffline(true);
  const banner = page.getByRole("status").filter({ hasText: "Connection lost" });
  await banner.waitFor();
  await banner.getByRole("button", { name: "Retry" }).waitFor();
  await page.context().setOffline(false);
  await banner.waitFor({ state: "hidden" });
  await follow("Webhooks");
  await page.getByText("No endpoints yet").waitFor();
});

journey("a page opened without a connection loads when it is back", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  const { page, open, follow } = await visit({ cookie });
  await open("/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.route("**/*", (route) => route.abort("connectionrefused"));
  await follow("Webhooks");
  const banner = page.getByRole("status").filter({ hasText: "Connection lost" });
  await banner.waitFor();
  await page.unroute("**/*");
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  await banner.waitFor({ state: "hidden" });
});

journey("an anonymous visit causes no failed request", async ({ visit }) => {
  const { page, open } = await visit();
  const failed: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) failed.push(response.url());
  });
  await open("/usage");
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  expect(failed).toEqual([]);
  expect(await page.locator('meta[name="description"]').getAttribute("content")).toMatch(/mailbox/);
  for (const path of ["/robots.txt", "/favicon.ico", "/apple-touch-icon.png", "/manifest.json"]) {
    const response = await page.request.get(path);
    expect([path, response.status()]).toEqual([path, 200]);
  }
});
