/**
 * Live or test mode of this browser tab, chosen when it loads. Switching loads the page again, so that none shows data of
 * both. An address that was typed is kept.
 */
import type { KeyMode } from "@mailvet/contract";

const STORED = "mode";
const TYPED = "typed-address";

export const mode: KeyMode = sessionStorage.getItem(STORED) === "test" ? "test" : "live";
export const isTestMode = mode === "test";

/** The address that was typed when the mode was switched. */
export const typedAddress = sessionStorage.getItem(TYPED) ?? "";
sessionStorage.removeItem(TYPED);

let typed = "";
export function rememberTyped(address: string): void {
  typed = address;
}

/** A job, list or webhook is in one mode only: its page becomes that of all. */
const ITEM = /\/[0-9a-f-]{36}(?=\/|$).*/;

export function switchMode(to: KeyMode): void {
  sessionStorage.clear(); // recent checks and upload previews of this mode
  if (to === "test") sessionStorage.setItem(STORED, to);
  if (typed !== "") sessionStorage.setItem(TYPED, typed);
  const { pathname, search } = window.location;
  window.location.assign(ITEM.test(pathname) ? pathname.replace(ITEM, "") : pathname + search);
}
