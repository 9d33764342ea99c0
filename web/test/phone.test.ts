/** Every page on a phone: reachable by the menu, and no wider than the screen. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Asked, formWith, OPERATOR_KEY } from "../../service/test/service.ts";
import { type JourneyContext, journeysIn } from "./journey.ts";

const journey = journeysIn();

/** Names in the menu, which are also the page titles. */
const PAGES = [
  "Validate",
  "Bulk",
  "Saved lists",
  "API keys",
  "Webhooks",
  "Usage and credits",
  "Audit log",
  "Settings",
  "Accounts",
  "Operator keys",
  "All audit logs",
  "System",
  "Overview",
];

journey("every page is in the menu of a phone, and none scrolls sideways", async (context) => {
  const { service, visit } = context;
  const { jobId } = await fillPages(context);
  const { page, open, follow } = await visit({
    cookie: await service.operatorCookie(),
    isOnPhone: true,
    expected: ["policy: script-src by eval"], // the API reference probes for eval and works without it
  });
  await open("/");
  for (const name of PAGES) {
    await page.getByRole("button", { name: "Open menu" }).tap();
    await follow(name);
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    await loaded(page);
    await expect.poll(() => page.getByRole("button", { name: "Open menu" }).count()).toBe(1);
    expect([name, await widthOf(page)]).toEqual([name, 375]);
  }

  await page.getByRole("button", { name: "Open menu" }).tap();
  await follow("Webhooks");
  await page.getByRole("table", { name: "Endpoints" }).getByRole("link").tap();
  await page.getByRole("heading", { level: 2, name: "Deliveries" }).waitFor();
  expect(["webhook", await widthOf(page)]).toEqual(["webhook", 375]);

  await page.getByRole("button", { name: "Open menu" }).tap();
  await follow("Saved lists");
  await page.getByRole("table", { name: "Lists" }).getByRole("link").tap();
  await page.getByRole("heading", { level: 2, name: "What has changed" }).waitFor();
  expect(["list", await widthOf(page)]).toEqual(["list", 375]);

  await open(`/bulk/${jobId}?status=invalid`);
  await page.getByRole("table", { name: "Results" }).getByText("invalid").first().waitFor();
  expect(["job", await widthOf(page)]).toEqual(["job", 375]);

  await open("/validate");
  await page.getByRole("button", { name: "greylisted@" }).tap();
  await page.getByRole("article").getByText("unknown · greylisted").first().waitFor();
  expect(["result", await widthOf(page)]).toEqual(["result", 375]);

  await page.getByRole("button", { name: "Open menu" }).tap();
  await follow("API reference");
  await page.getByRole("heading", { level: 1, name: "Mailvet" }).waitFor();
  expect(["reference", await widthOf(page)]).toEqual(["reference", 375]);
});

journey("the pages around sign-in fit on a phone", async ({ visit }) => {
  const { page, open } = await visit({ isOnPhone: true, expected: ["404 GET /nowhere"] });
  for (const path of ["/sign-in", "/sign-up", "/forgotten-password", "/reset-password?token=x", "/nowhere"]) {
    await open(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect([path, await widthOf(page)]).toEqual([path, 375]);
  }
});

/** Creates data with long names for every page. */
async function fillPages({ service }: JourneyContext): Promise<{ jobId: string }> {
  const ask = async (path: string, asked: Asked = {}) => {
    const { status, body } = await service.ask(path, { key: OPERATOR_KEY, ...asked });
    expect([status, body]).toEqual([expect.toSatisfy((code) => code < 300), body]);
    return body;
  };
  const cookie = await service.operatorCookie();
  const longName = "a-very-long-name-without-any-place-to-break-it-".repeat(2);
  await ask("/keys", { key: undefined, cookie, body: { name: longName } });
  await ask("/webhooks", { body: { url: `http://127.0.0.1:9/${longName}`, description: longName } });
  const column = "Email".repeat(20);
  const list = `${column},note\nvalid@mailvet.test,${longName}\n${longName.slice(0, 60)}@nowhere.example-lab.com,x\n`;
  const preview = await ask("/bulk/upload/preview", { form: formWith(list, `${longName}.csv`) });
  const confirmed = { upload_id: preview.upload_id, email_column: column };
  const { id } = await ask("/bulk/upload/confirm", { body: confirmed });
  await expect.poll(async () => (await ask(`/bulk/jobs/${id}`)).status).toBe("completed");
  await ask("/lists", { body: { job_id: id, name: longName, tags: [longName.slice(0, 50)] } });
  return { jobId: id };
}

async function loaded(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole("status", { name: "Loading" }).count()).toBe(0);
}

/** Width needed by the page, without elements that scroll within themselves. */
function widthOf(page: Page): Promise<number> {
  return page.evaluate("Math.max(document.documentElement.scrollWidth, window.innerWidth)");
}
