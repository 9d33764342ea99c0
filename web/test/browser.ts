/** Starts the system's Chromium in headless mode. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** The headless build first: a test takes about a quarter less CPU with it. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/** Also turns off background traffic of the browser. */
const ARGS = [
  "--no-sandbox", // not available as root and in containers
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The program in CHROMIUM, or the first one found. Throws if there is none. */
export function findChromium(): string {
  const named = process.env.CHROMIUM;
  if (named) {
    if (!canRun(named)) throw new Error(`CHROMIUM=${named} is not an executable file.`);
    return named;
  }
  const folders = ["/usr/bin", ...(process.env.PATH ?? "").split(delimiter)];
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(canRun);
  if (found === undefined)
    throw new Error("Chromium not found. Install it, or set CHROMIUM=/path/to/chromium");
  return found;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ARGS });
}

/** For pages of the demo, which may be slow on a busy machine. */
export const PATIENCE_MS = 300_000;

/** Of pictures: the same wherever they are taken. */
export const LOOK = { locale: "en-GB", timezoneId: "Europe/Berlin", reducedMotion: "reduce" } as const;
