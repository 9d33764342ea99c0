/** Whether the service can be reached, as the browser and the latest requests tell. */
import { MailvetUnreachable } from "@mailvet/sdk";
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let isLost = !navigator.onLine;

function set(next: boolean): void {
  if (next === isLost) return;
  isLost = next;
  for (const listener of listeners) listener();
}

window.addEventListener("offline", () => set(true));
window.addEventListener("online", () => set(false));

/** Called with the error of every failed request. */
export function noteFailure(error: unknown): void {
  if (error instanceof MailvetUnreachable) set(true);
}

export function noteSuccess(): void {
  set(!navigator.onLine);
}

export function useIsConnectionLost(): boolean {
  return useSyncExternalStore(subscribe, () => isLost);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
