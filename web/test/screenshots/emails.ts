/** Pictures of every email in both widths and schemes, into a folder below the screenshots. */
import { mkdir } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { EMAIL_EXAMPLES } from "../../../service/test/email-examples.ts";
import { saveWebp } from "./webp.ts";

const WIDTHS = { desktop: 720, phone: 390 } as const;

export async function takeEmails(browser: Browser, directory: string): Promise<void> {
  await mkdir(`${directory}/emails`, { recursive: true });
  for (const [device, width] of Object.entries(WIDTHS)) {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({ viewport: { width, height: 400 }, colorScheme });
      for (const [name, example] of Object.entries(EMAIL_EXAMPLES)) {
        await page.setViewportSize({ width, height: 400 });
        await page.setContent(example("Spring newsletter.csv").html!);
        const height = await page.locator("html").evaluate(({ scrollHeight }) => scrollHeight);
        await page.setViewportSize({ width, height });
        await saveWebp(page, `${directory}/emails/${name}-${device}-${colorScheme}.webp`);
      }
      await page.close();
    }
  }
}
