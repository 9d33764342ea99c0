/**
 * Before the first test in a browser: finds a Chromium, builds the web app, and starts a PostgreSQL for all of them.
 *
 * Without a Chromium these tests are left out, and the last lines of the run say so. In CI it is an error.
 */
import type { TestProject } from "vitest/node";
import { buildWebApp } from "../../scripts/build.mjs";
import startPostgres from "../../service/test/shared-postgres.ts";
import { findChromium, NO_CHROMIUM } from "./browser.ts";

declare module "vitest" {
  interface ProvidedContext {
    hasBrowser: boolean;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const hasBrowser = findChromium() !== undefined;
  project.provide("hasBrowser", hasBrowser);
  if (!hasBrowser) {
    if (process.env.CI) throw new Error(`The web app cannot be tried: ${NO_CHROMIUM}`);
    // After the summary, where it is read.
    return async () => {
      process.stderr.write(`\nmailvet: NOT RUN: the tests of the web app (web/test/*). ${NO_CHROMIUM}\n`);
    };
  }
  await buildWebApp();
  return startPostgres(project);
}
