#!/usr/bin/env node
// In a checkout, builds first if the sources are newer than the build. An installed package has no such script.
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

// Of this package alone: a folder that others can write to, such as the temporary one, could give it other code to run.
// Node 20 has no such function; where the folder cannot be written to, nothing is kept.
module.enableCompileCache?.(fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url)));
const ready = new URL("../../scripts/ready.mjs", import.meta.url);
if (existsSync(ready)) await (await import(ready.href)).makeReadyToRun();
await import("../dist/main.js");
