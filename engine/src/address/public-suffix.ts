/**
 * The public suffix list (tldts), loaded on first use: it takes longer to load than a syntax check takes, and the
 * suffixes of most addresses are known without it (suggestion.ts).
 */
import { createRequire } from "node:module";

type Tldts = typeof import("tldts");

const tldts = (): Tldts => require("tldts");
const require = createRequire(import.meta.url);

export const parse: Tldts["parse"] = (...args) => tldts().parse(...args);
export const getDomain: Tldts["getDomain"] = (...args) => tldts().getDomain(...args);
export const getPublicSuffix: Tldts["getPublicSuffix"] = (...args) => tldts().getPublicSuffix(...args);
