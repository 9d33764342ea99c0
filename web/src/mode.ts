/**
 * Live or test mode of this browser tab, chosen when it loads. Switching loads the page again, so that none shows data of
 * both. What was typed is kept.
 */
import type { KeyMode } from "@mailvet/contract";

const STORED = "mode";
const TYPED = "typed";

export const mode: KeyMode = sessionStorage.getItem(STORED) === "test" ? "test" : "live";
export const isTestMode = mode === "test";

type Typed = { address?: string; list?: { way: "files" | "paste" | "link"; pasted: string; url: string } };

const typed: Typed = JSON.parse(sessionStorage.getItem(TYPED) ?? "{}");
const typedBefore = { ...typed };
sessionStorage.removeItem(TYPED);

export function rememberTyped(text: Typed): void {
  Object.assign(typed, text);
}

/** What was typed when the mode was switched; once. */
export function takeTyped<F extends keyof Typed>(form: F): Typed[F] {
  const text = typedBefore[form];
  delete typedBefore[form];
  return text;
}

/** A job, list or webhook is in one mode only: its page becomes that of all. */
const ITEM = /\/[0-9a-f-]{36}(?=\/|$).*/;

export function switchMode(to: KeyMode): void {
  sessionStorage.clear(); // recent checks and upload previews of this mode
  if (to === "test") sessionStorage.setItem(STORED, to);
  try {
    sessionStorage.setItem(TYPED, JSON.stringify(typed));
  } catch {
    // A pasted list of several megabytes does not fit.
  }
  const { pathname, search } = window.location;
  window.location.assign(ITEM.test(pathname) ? pathname.replace(ITEM, "") : pathname + search);
}
