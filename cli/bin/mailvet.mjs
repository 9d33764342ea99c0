#!/usr/bin/env node
// In a checkout the sources may be newer than the build, or nothing may be built yet; an installed package has no such script.
import { existsSync } from "node:fs";

const ready = new URL("../../scripts/ready.mjs", import.meta.url);
if (existsSync(ready)) await (await import(ready.href)).makeReadyToRun();
await import("../dist/main.js");
