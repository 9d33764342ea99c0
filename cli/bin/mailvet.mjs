#!/usr/bin/env node
// In a checkout, builds first if the sources are newer than the build. An installed package has no such script.
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const ready = new URL("../../scripts/ready.mjs", import.meta.url);
if (existsSync(ready)) {
  // Not on Node 20, which has no such function.
  module.enableCompileCache?.(fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url)));
  await (await import(ready.href)).makeReadyToRun();
}
await import("../dist/main.js");
