/**
 * `npm run screenshots`: every page of the web app, as the demonstration shows it, into docs/screenshots. On a desktop
 * and on a phone, in the light and in the dark.
 *
 *   npm run screenshots -- overview job     only pages whose names begin like this
 */
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { openDemonstration } from "./demo.ts";
import { TOUR, type Who } from "./shots.ts";

const INTO =
  process.env.SCREENSHOTS_INTO ?? fileURLToPath(new URL("../../../docs/screenshots", import.meta.url));

const DEVICES = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true },
} as const;
const SCHEMES = ["light", "dark"] as const;
/** Long pages are cut off here. */
const MAX_SCREENS = 1.25;

const wanted = process.argv.slice(2);
const sights = TOUR.filter(
  ({ name }) => wanted.length === 0 || wanted.some((begin) => name.startsWith(begin)),
);

await mkdir(INTO, { recursive: true });
await using demo = await openDemonstration();
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
  const contexts = new Map<Who, BrowserContext>();
  for (const { name, who, visit } of sights) {
    const context = contexts.get(who) ?? (await begin());
    const page = await context.newPage();
    if (!contexts.has(who) && who !== "nobody") await demo.signIn(page, who);
    contexts.set(who, context);
    await visit(page);
    // As if the screen were as high as the page, so that what sticks to its edges does so here too.
    const whole = await page.locator("html").evaluate(({ scrollHeight }) => scrollHeight);
    await page.setViewportSize({
      ...viewport,
      height: Math.min(whole, Math.round(viewport.height * MAX_SCREENS)),
    });
    await page.waitForTimeout(400);
    const path = `${INTO}/${name}-${device}-${colorScheme}.png`;
    await page.screenshot({ path });
    console.log(path);
    await page.close();
  }
  for (const context of contexts.values()) await context.close();

  function begin() {
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
