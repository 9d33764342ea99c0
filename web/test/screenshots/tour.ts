/** `npm run tour`: docs/tour.md and its pictures, step by step through the demo (tour-steps.ts). */
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { LOOK, openBrowser, PATIENCE_MS } from "../browser.ts";
import { openDemo } from "./demo.ts";
import { settled } from "./shots.ts";
import { fileName, TOUR, tourPage } from "./tour-steps.ts";
import { saveWebp } from "./webp.ts";

const DOCS = fileURLToPath(new URL("../../../docs/", import.meta.url));

await mkdir(`${DOCS}tour`, { recursive: true });
await using demo = await openDemo();
const browser = await openBrowser();
try {
  const page = await browser.newPage({
    ...LOOK,
    baseURL: demo.url,
    viewport: { width: 1280, height: 800 },
  });
  page.setDefaultTimeout(PATIENCE_MS);
  await demo.signIn(page, "customer");
  for (const [index, { name, go }] of TOUR.entries()) {
    await go(page);
    await settled(page);
    await page.waitForTimeout(400); // fade-in of dialogs
    await saveWebp(page, `${DOCS}tour/${fileName(index, name)}`);
  }
} finally {
  await browser.close();
}
await writeFile(`${DOCS}tour.md`, tourPage());
