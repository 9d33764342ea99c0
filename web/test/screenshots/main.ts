/**
 * `npm run screenshots`: screenshots of every page of the demo into docs/screenshots, for desktop and phone in both colour
 * schemes.
 *
 *   npm run screenshots -- overview job     only names that start with "overview" or "job"
 */
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { openDemo } from "./demo.ts";
import { type Role, SHOTS } from "./shots.ts";

const DIRECTORY =
  process.env.SCREENSHOTS_INTO ?? fileURLToPath(new URL("../../../docs/screenshots", import.meta.url));

const DEVICES = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true },
} as const;
const SCHEMES = ["light", "dark"] as const;
/** Longer pages are cut off. */
const MAX_SCREENS = 1.25;

const wanted = process.argv.slice(2);
const shots = SHOTS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)),
);

await mkdir(DIRECTORY, { recursive: true });
await using demo = await openDemo();
const browser = await openBrowser();
try {
  for (const device of Object.keys(DEVICES) as (keyof typeof DEVICES)[]) {
    for (const colorScheme of SCHEMES) await takeAll(browser, device, colorScheme);
  }
} finally {
  await browser.close();
}

async function takeAll(browser: Browser, device: keyof typeof DEVICES, colorScheme: "light" | "dark") {
  const { viewport } = DEVICES[device];
  const contexts = new Map<Role, BrowserContext>();
  for (const { name, role, visit } of shots) {
    const context = contexts.get(role) ?? (await newContext());
    const page = await context.newPage();
    if (!contexts.has(role) && role !== "anonymous") await demo.signIn(page, role);
    contexts.set(role, context);
    await visit(page);
    // A viewport as high as the page keeps sticky elements at its edges.
    const pageHeight = await page.locator("html").evaluate(({ scrollHeight }) => scrollHeight);
    await page.setViewportSize({
      ...viewport,
      height: Math.min(pageHeight, Math.round(viewport.height * MAX_SCREENS)),
    });
    await page.waitForTimeout(400);
    const path = `${DIRECTORY}/${name}-${device}-${colorScheme}.png`;
    await page.screenshot({ path });
    console.log(path);
    await page.close();
  }
  for (const context of contexts.values()) await context.close();

  function newContext() {
    return browser.newContext({
      baseURL: demo.url,
      colorScheme,
      ...DEVICES[device],
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      reducedMotion: "reduce",
    });
  }
}
