/** Stands for `node:module` in the build without Node: packages that are loaded on demand elsewhere are part of it. */
import * as tldts from "tldts";
import * as tr46 from "tr46";

const PACKAGES: Readonly<Record<string, unknown>> = { tldts, tr46 };

export const createRequire = () => (name: string) => PACKAGES[name];
