/** What a first visit costs: how much JavaScript comes over the wire, and how long it takes until the page can be used. */
import { availableParallelism, loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { journeysIn, type Scene } from "./journey.ts";
import type { VisitorOptions } from "./visitor.ts";

const MAX_SCRIPT_BYTES = 250_000;
const MAX_WAIT_MS = 2000;

const journey = journeysIn();

journey("the form to sign in is there at once, and takes what is typed", async ({ visit }) => {
  await keepsTo("sign-in", visit, {}, async (page) => {
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill("ann@shop.example");
  });
});

journey("the overview is there at once, with its numbers", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 12_345 });
  await service.ask("/validation/single", { key, body: { email: "valid@mailvet.test" } });
  await keepsTo("overview", visit, { cookie }, async (page) => {
    await page.goto("/");
    await page.getByRole("main").getByText("12,344", { exact: true }).waitFor();
    await page.getByRole("img", { name: /^Bar chart of the last 30 days/ }).waitFor();
    await page.getByRole("link", { name: "Check an address" }).click({ trial: true });
  });
});

/** Each time with an empty cache. The best time counts. */
const VISITS = 3;

async function keepsTo(
  name: string,
  visit: Scene["visit"],
  who: VisitorOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const waits: number[] = [];
  let scripts: Promise<number>[] = [];
  for (let count = 0; count < VISITS; count++) {
    const { page } = await visit(who);
    scripts = countScripts(page);
    const startedMs = performance.now();
    await use(page);
    waits.push(Math.round(performance.now() - startedMs));
    await page.waitForLoadState("networkidle");
  }
  const sizes = await Promise.all(scripts);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  console.log(
    `${name}: ${sizes.length} scripts, ${bytes} bytes; usable after ${waits.join(", ")} ms at load ${loadavg()[0]}`,
  );
  expect(sizes.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  expect(Math.min(...waits)).toBeLessThan(MAX_WAIT_MS * busyness());
}

/** 1 on a machine that has nothing else to do; 3 where three times as much wants to run as there are cores. */
function busyness(): number {
  return Math.max(1, loadavg()[0]! / availableParallelism());
}

/** Each script that is fetched, by its size when packed with gzip. */
function countScripts(page: Page): Promise<number>[] {
  const scripts: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    scripts.push(response.body().then((body) => gzipSync(body).length));
  });
  return scripts;
}
