/** Performance budget of a first visit: size of the scripts, and time until the page is usable. */
import { availableParallelism, loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type JourneyContext, journeysIn } from "./journey.ts";
import type { VisitorOptions } from "./visitor.ts";

const MAX_SCRIPT_BYTES = 250_000;
const MAX_WAIT_MS = 2000;

const journey = journeysIn();

journey("the sign-in form is usable within the budget", async ({ visit }) => {
  await measure("sign-in", visit, {}, async (page) => {
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill("ann@shop.example");
  });
});

journey("the overview is usable within the budget", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 12_345 });
  await service.ask("/validation/single", { key, body: { email: "valid@mailvet.test" } });
  await measure("overview", visit, { cookie }, async (page) => {
    await page.goto("/");
    await page.getByRole("main").getByText("12,344", { exact: true }).waitFor();
    await page.getByRole("img", { name: /^Bar chart of the last 30 days/ }).waitFor();
    await page.getByRole("link", { name: "Check an address" }).click({ trial: true });
  });
});

/** Each with an empty cache. The best time counts. */
const VISITS = 3;

async function measure(
  name: string,
  visit: JourneyContext["visit"],
  visitor: VisitorOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const waits: number[] = [];
  let scripts: Promise<number>[] = [];
  for (let count = 0; count < VISITS; count++) {
    const { page } = await visit(visitor);
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
  expect(Math.min(...waits)).toBeLessThan(MAX_WAIT_MS * loadFactor());
}

/** 1 on an idle machine; 3 with three runnable processes per core. */
function loadFactor(): number {
  return Math.max(1, loadavg()[0]! / availableParallelism());
}

/** Gzipped size of each fetched script. */
function countScripts(page: Page): Promise<number>[] {
  const scripts: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    scripts.push(response.body().then((body) => gzipSync(body).length));
  });
  return scripts;
}
