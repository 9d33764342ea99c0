/** Global setup of the browser tests: finds Chromium, builds the web app, starts a shared PostgreSQL. */
import type { TestProject } from "vitest/node";
import { buildWebApp } from "../../scripts/build.mjs";
import startPostgres from "../../service/test/shared-postgres.ts";
import { findChromium } from "./browser.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  findChromium(); // throws before the web app is built for nothing
  await buildWebApp();
  return startPostgres(project);
}
