/** A screenshot as WebP, a tenth of the PNG. Playwright knows PNG and JPEG only, the browser's own protocol WebP too. */
import { writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";

const QUALITY = 82;

export async function saveWebp(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await session.detach();
  await writeFile(path, Buffer.from(data, "base64"));
  console.log(path);
}
