/**
 * Global setup of the browser tests: finds Chromium, builds the web app, starts a shared PostgreSQL.
 *
 * Without Chromium the tests are skipped and the end of the output says so. In CI that is an error.
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
    if (process.env.CI) throw new Error(`Browser tests cannot run: ${NO_CHROMIUM}`);
    // In the teardown, so that it is printed after the summary.
    return async () => {
      process.stderr.write(`\nmailvet: SKIPPED: browser tests (web/test/*). ${NO_CHROMIUM}\n`);
    };
  }
  await buildWebApp();
  return startPostgres(project);
}
