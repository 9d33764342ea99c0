/** Query cache, and the queries that several pages share. */
import type { SignedIn } from "@mailvet/contract";
import { MailvetProblem, MailvetUnreachable } from "@mailvet/sdk";
import { MutationCache, type Query, QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
import { noteFailure, noteSuccess } from "./connection.ts";
import { common } from "./messages.ts";
import { hasSessionCookie, isSignedOut, isSuspended, service } from "./service.ts";
import { tellOtherTabs } from "./session-news.ts";

export { service };

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: handleFailure, onSuccess: noteSuccess }),
  mutationCache: new MutationCache({ onError: handleFailure, onSuccess: noteSuccess }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The SDK client already retries what is safe to retry.
      retry: false,
    },
  },
});

function handleFailure(error: unknown): void {
  noteFailure(error);
  handleSessionEnd(error);
  if (isGone(error)) void queries.invalidateQueries(LOADED, { cancelRefetch: false });
}

/** What a page shows may be gone in part or as a whole: deleted in another tab, or expired. */
const isGone = (error: unknown) =>
  error instanceof MailvetProblem && (error.status === 404 || error.status === 410);

/** Without what has failed, so that one answer of this kind does not lead to the next. */
const LOADED = { predicate: ({ state }: Query) => state.status === "success" };

let isAccountSuspended = false;

/** A session can end at any time, and an account be suspended. */
function handleSessionEnd(error: unknown): void {
  isAccountSuspended ||= isSuspended(error);
  if (isSuspended(error) || isSignedOut(error))
    queries.setQueryData<CurrentSession>(SESSION_KEY, withoutSession);
}

/** With null the layout leaves the app; with `isEnded` it asks for a sign-in and keeps the page, with what was typed into it. */
export type CurrentSession = (SignedIn & { isEnded?: true }) | null;

const SESSION_KEY = ["session"];

const withoutSession = (before: CurrentSession | undefined): CurrentSession =>
  before && !isAccountSuspended ? { ...before, isEnded: true } : null;

/** Loads the sign-in page, which returns to `next`, or the page about the suspension of the account. */
export function leaveApp(next?: string): void {
  const search = next === undefined ? "" : `?${new URLSearchParams({ next })}`;
  window.location.replace(isAccountSuspended ? "/suspended" : `/sign-in${search}`);
}

export function leaveAfterSignOut(): void {
  sessionStorage.clear(); // mode, recent checks and upload previews of this tab
  tellOtherTabs({ kind: "signed-out" });
  leaveApp();
}

/** The current session. Without a cookie there is no need to ask. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  staleTime: 60_000,
  async queryFn(): Promise<CurrentSession> {
    if (!hasSessionCookie) return null;
    try {
      return await service.auth.session();
    } catch (error) {
      if (!isSignedOut(error) && !isSuspended(error)) throw error;
      handleSessionEnd(error);
      return queries.getQueryData<CurrentSession>(SESSION_KEY) ?? null;
    }
  },
});

/** Downloads the export of an account. While it is written the answer is 202, after up to 20 seconds each time. */
export async function downloadOnceWritten(url: string): Promise<void> {
  let written: Response;
  do written = await fetch(url, { method: "HEAD" });
  while (written.status === 202);
  if (!written.ok) throw new Error(common.error.exportFailed);
  window.location.assign(url);
}

/** With a download: the browser does not tell the page that it was refused because the session has ended. */
export const checkSession = () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });

/** Plan, limits and credits. */
export const accountQuery = queryOptions({ queryKey: ["account"], queryFn: () => service.account() });

const ASK_AGAIN_MS = 2_000;

/** Resolves when the service answers. */
export async function untilReachable(): Promise<void> {
  for (;;) {
    try {
      await service.about();
      noteSuccess();
      return;
    } catch (error) {
      noteFailure(error);
      if (!(error instanceof MailvetUnreachable)) return;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }
}

/** Settings of the installation. They change only with a restart of the service. */
export const aboutQuery = queryOptions({
  queryKey: ["about"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => service.about(),
});
