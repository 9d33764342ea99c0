/** The session, as the pages before sign-in see it: whether there is one, and what to do when it begins. */
import type { SignedIn } from "@mailvet/contract";
import { useEffect } from "react";
import { hasSessionCookie, isSignedOut, isSuspended, service } from "../../service.ts";
import { onSessionNews, tellOtherTabs } from "../../session-news.ts";
import { nextPath } from "./next-path.ts";

/** Parameters of the URL. */
export function searchOf(): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(new URLSearchParams(window.location.search));
}

/** Loads the app, at the page that was requested before the sign-in. */
export function enterApp(): void {
  window.location.replace(nextPath(searchOf().next, window.location.origin));
}

/** Called with the account of the session. */
export type Enter = (accountId: string) => void;

export function startSession({ account }: SignedIn, enter: Enter = enterApp): void {
  tellOtherTabs({ kind: "signed-in", accountId: account.id });
  enter(account.id);
}

/** Null when signed out or suspended. Without a cookie there is no need to ask. */
export async function findSession(): Promise<SignedIn | null> {
  if (!hasSessionCookie) return null;
  try {
    return await service.auth.session();
  } catch (error) {
    if (isSignedOut(error) || isSuspended(error)) return null;
    throw error;
  }
}

/** Leaves a page that only anonymous visitors need, also when another tab signs in. */
export function useEnterWithSession(enter: Enter = enterApp): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once
  useEffect(() => {
    findSession().then(
      (session) => session && enter(session.account.id),
      () => {}, // shown when the form is sent
    );
    return onSessionNews((news) => news.kind === "signed-in" && enter(news.accountId));
  }, []);
}
