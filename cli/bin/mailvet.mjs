#!/usr/bin/env node
// In a checkout, builds first if the sources are newer than the build. An installed package has no such script.
import { existsSync } from "node:fs";

const ready = new URL("../../scripts/ready.mjs", import.meta.url);
if (existsSync(ready)) await (await import(ready.href)).makeReadyToRun();
await import("../dist/main.js");
