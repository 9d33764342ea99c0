/** Performance budget of a first visit: size of everything fetched, layout shift, and time until the page is usable. */
import { gzipSync } from "node:zlib";
import type { Page, Route } from "playwright-core";
import { expect } from "vitest";
import { formWith } from "../../service/test/service.ts";
import { type JourneyContext, journeysIn } from "./journey.ts";
import type { VisitorOptions } from "./visitor.ts";

/** Scripts, styles, fonts, icons and the page itself, gzipped. Sign-in is visited first. */
const MAX_BYTES = 250 * 1024;
const SIGN_IN_MAX_BYTES = 150 * 1024;
const MAX_LAYOUT_SHIFT = 0.05;
/** On an idle machine. */
const MAX_WAIT_MS = 2000;
/** Of a visit to the guide, which is a static page with a small script. */
const GUIDE_WAIT_MS = 400;

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
    await page.getByRole("figure", { name: /^Bar chart of the last 30 days/ }).waitFor();
    await page.getByRole("link", { name: "Check an address" }).click({ trial: true });
  });
});

journey("every page stays within its size and moves nothing after it was shown", async (context) => {
  const { service, visit } = context;
  const cookie = await service.operatorCookie();
  const ids = await fillPages(context, cookie);
  const pages = [
    "/",
    "/validate",
    "/bulk",
    `/bulk/${ids.job}`,
    "/lists",
    "/keys",
    "/webhooks",
    `/webhooks/${ids.webhook}`,
    "/usage",
    "/audit",
    "/settings",
    "/operator/accounts",
    `/operator/accounts/${ids.account}`,
    "/operator/jobs",
    "/operator/keys",
    "/operator/audit",
    "/operator/system",
    "/guide",
    "/guide/bulk",
  ];
  const found: { path: string; bytes: number; shift: number }[] = [];
  for (const { path, isOnPhone } of [
    ...["/sign-in", ...pages].map((path) => ({ path, isOnPhone: false })),
    ...["/keys", "/operator/keys"].map((path) => ({ path, isOnPhone: true })),
  ]) {
    const { page } = await visit(path === "/sign-in" ? {} : { cookie, isOnPhone });
    const sizes = countBytes(page);
    await page.addInitScript({ content: RECORD_LAYOUT_SHIFTS });
    const releaseNext = await holdAnswers(page);
    await page.goto(path);
    const loading = page.getByRole("status", { name: "Loading" });
    await page.getByRole("heading", { level: 1 }).or(loading).first().waitFor();
    await expect.poll(async () => (await releaseNext()) + (await loading.count())).toBe(0);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const bytes = sum(await Promise.all(sizes));
    await page.evaluate("document.fonts.ready");
    const shift = Number(await page.evaluate("window.layoutShift"));
    const name = path.replace(/[0-9a-f-]{36}/, "*") + (isOnPhone ? " on a phone" : "");
    found.push({ path: name, bytes, shift });
    console.log(`${name}: ${Math.round(bytes / 1000)} KB gzipped in all, layout shift ${shift.toFixed(3)}`);
    await page.close();
  }
  const limitOf = (path: string) => (path === "/sign-in" ? SIGN_IN_MAX_BYTES : MAX_BYTES);
  expect(found.filter(({ path, bytes }) => bytes > limitOf(path))).toEqual([]);
  expect(found.filter(({ shift }) => shift > MAX_LAYOUT_SHIFT)).toEqual([]);
});

/**
 * A slow service: answers of the API are held, and arrive one after the other, each after what came before is on the screen.
 * Returns a function that lets the next one through and returns how many are left. The session is needed to show anything.
 */
async function holdAnswers(page: Page): Promise<() => Promise<number>> {
  const held: Route[] = [];
  await page.route("**/api/v1/**", async (route) => {
    if (route.request().url().endsWith("/auth/session")) await route.continue();
    else held.push(route);
  });
  return async () => {
    await page.evaluate("new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))");
    await held.shift()?.continue();
    return held.length;
  };
}

/** Data for every page. */
async function fillPages({ service }: JourneyContext, cookie: string) {
  const ask = async (path: string, asked = {}) => (await service.ask(path, { cookie, ...asked })).body;
  const { id: webhook } = await ask("/webhooks", { body: { url: "http://127.0.0.1:9/hook" } });
  await ask("/keys", { body: { name: "Sign-up form" } });
  const list = "email\nvalid@mailvet.test\nmailbox-not-found@mailvet.test\n";
  const preview = await ask("/bulk/upload/preview", { form: formWith(list, "list.csv") });
  const { id: job } = await ask("/bulk/upload/confirm", {
    body: { upload_id: preview.upload_id, email_column: "email" },
  });
  await expect.poll(async () => (await ask(`/bulk/jobs/${job}`)).status).toBe("completed");
  const { account } = await ask("/auth/session");
  return { webhook, job, account: account.id };
}

/** Shifts within half a second after an input are expected, and marked as such by the browser. */
const RECORD_LAYOUT_SHIFTS = `window.layoutShift = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value;
}).observe({ type: "layout-shift", buffered: true });`;

/** Each with an empty cache. The best one counts. */
const VISITS = 5;

/** Each visit follows one to the guide, which shows how slow the machine is at the moment. */
async function measure(
  name: string,
  visit: JourneyContext["visit"],
  visitor: VisitorOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const timeOf = async (options: VisitorOptions, act: (page: Page) => Promise<void>) => {
    const { page } = await visit(options);
    const startedMs = performance.now();
    await act(page);
    const waitedMs = Math.round(performance.now() - startedMs);
    await page.close();
    return waitedMs;
  };
  const visits: { waitedMs: number; limitMs: number }[] = [];
  for (let count = 0; count < VISITS; count++) {
    const guideMs = await timeOf({}, async (page) => {
      await page.goto("/guide");
      await page.getByRole("searchbox").fill("bounces");
    });
    const limitMs = Math.round(MAX_WAIT_MS * Math.max(1, guideMs / GUIDE_WAIT_MS));
    visits.push({ waitedMs: await timeOf(visitor, use), limitMs });
  }
  const all = visits.map(({ waitedMs, limitMs }) => `${waitedMs} of ${limitMs}`);
  console.log(`${name}: usable after ${all.join(", ")} ms`);
  expect(visits.filter(({ waitedMs, limitMs }) => waitedMs < limitMs)).not.toEqual([]);
}

/** Gzipped size of each file of the app that is fetched. Fonts are compressed already. */
function countBytes(page: Page): Promise<number>[] {
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    const type = response.request().resourceType();
    if (!FILES.has(type) || response.status() >= 300) return;
    sizes.push(response.body().then((body) => (type === "font" ? body.length : gzipSync(body).length)));
  });
  return sizes;
}

const FILES: ReadonlySet<string> = new Set(["document", "script", "stylesheet", "font", "image", "manifest"]);

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
