/**
 * Before the first story in a browser: is there one, is the web app built, and a PostgreSQL for all of them.
 *
 * Without a Chromium these stories are left out, and it is said so. Where nobody reads what is said, it is an error.
 */
import type { TestProject } from "vitest/node";
import { buildWebApp } from "../../scripts/ready.mjs";
import startPostgres from "../../service/test/shared-postgres.ts";
import { findChromium, NO_CHROMIUM } from "./browser.ts";

declare module "vitest" {
  interface ProvidedContext {
    hasBrowser: boolean;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const hasBrowser = findChromium() !== undefined;
  project.provide("hasBrowser", hasBrowser);
  if (!hasBrowser) {
    if (process.env.CI) throw new Error(`The web app cannot be tried: ${NO_CHROMIUM}`);
    process.stderr.write(`\nmailvet: the tests of the web app are LEFT OUT: ${NO_CHROMIUM}\n\n`);
    return undefined;
  }
  await buildWebApp();
  return startPostgres(project);
}
