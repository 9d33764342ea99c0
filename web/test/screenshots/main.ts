/**
 * `npm run screenshots`: screenshots of every page of the demo into docs/screenshots, for desktop and phone in both colour
 * schemes; also the picture of README.md, and every email into docs/screenshots/emails, which is not committed.
 *
 *   npm run screenshots -- overview job     only names that start with "overview" or "job"; "readme", "emails"
 */
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext } from "playwright-core";
import { LOOK, openBrowser, PATIENCE_MS } from "../browser.ts";
import { openDemo } from "./demo.ts";
import { takeEmails } from "./emails.ts";
import { type Role, SHOTS } from "./shots.ts";
import { saveWebp } from "./webp.ts";

const DIRECTORY =
  process.env.SCREENSHOTS_INTO ?? fileURLToPath(new URL("../../../docs/screenshots", import.meta.url));

const DEVICES = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true },
} as const;
const SCHEMES = ["light", "dark"] as const;
/** Longer pages are cut off. */
const MAX_SCREENS = 1.25;

/** The picture of README.md. */
const README = { shot: "job-completed", viewport: { width: 1280, height: 800 } };

const wanted = process.argv.slice(2);
const isWanted = ({ name }: { name: string }) =>
  wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix));
const shots = SHOTS.filter(isWanted);

await mkdir(DIRECTORY, { recursive: true });
await using demo = await openDemo();
const browser = await openBrowser();
try {
  for (const device of Object.keys(DEVICES) as (keyof typeof DEVICES)[]) {
    for (const colorScheme of SCHEMES) await takeAll(browser, device, colorScheme);
  }
  if (isWanted({ name: "readme" })) for (const colorScheme of SCHEMES) await takeReadme(browser, colorScheme);
  if (isWanted({ name: "emails" })) await takeEmails(browser, DIRECTORY);
} finally {
  await browser.close();
}

async function takeReadme(browser: Browser, colorScheme: "light" | "dark") {
  const context = await browser.newContext({
    ...LOOK,
    baseURL: demo.url,
    colorScheme,
    viewport: README.viewport,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await demo.signIn(page, "customer");
  await SHOTS.find(({ name }) => name === README.shot)!.visit(page);
  await saveWebp(page, `${DIRECTORY}/readme-${colorScheme}.webp`);
  await context.close();
}

async function takeAll(browser: Browser, device: keyof typeof DEVICES, colorScheme: "light" | "dark") {
  const { viewport } = DEVICES[device];
  const contexts = new Map<Role, BrowserContext>();
  for (const { name, role, visit } of shots) {
    const context = contexts.get(role) ?? (await newContext());
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
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
    await saveWebp(page, `${DIRECTORY}/${name}-${device}-${colorScheme}.webp`);
    await page.close();
  }
  for (const context of contexts.values()) await context.close();

  function newContext() {
    return browser.newContext({ ...LOOK, baseURL: demo.url, colorScheme, ...DEVICES[device] });
  }
}
