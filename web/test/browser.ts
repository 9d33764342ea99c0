/** A Chromium of this machine, without a window. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** What a browser does by itself behind its user's back stays out of the tests. */
const ARGS = [
  "--no-sandbox", // as root, and in containers, there is none to be had
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The one that CHROMIUM names, or else the first that is found; undefined: there is none, or none is wanted. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named === "none") return undefined;
  if (named) {
    if (!canRun(named)) throw new Error(`CHROMIUM names ${named}, and there is no program.`);
    return named;
  }
  const folders = ["/usr/bin", ...(process.env.PATH ?? "").split(delimiter)];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const NO_CHROMIUM = "no Chromium was found. Install one, or name it: CHROMIUM=/path/to/chromium";

export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(NO_CHROMIUM);
  return chromium.launch({ executablePath, args: ARGS });
}
