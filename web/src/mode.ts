/**
 * Live or test mode of this browser tab, chosen when it loads. Switching loads the app again, so that no page shows data
 * of both.
 */
import type { KeyMode } from "@mailvet/contract";

const STORED = "mode";

export const mode: KeyMode = sessionStorage.getItem(STORED) === "test" ? "test" : "live";
export const isTestMode = mode === "test";

export function switchMode(to: KeyMode): void {
  sessionStorage.clear(); // recent checks and upload previews of this mode
  if (to === "test") sessionStorage.setItem(STORED, to);
  window.location.assign("/");
}
