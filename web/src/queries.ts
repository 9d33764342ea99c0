/** API client, query cache, and the queries that several pages share. */
import { createClient, MailvetProblem } from "@mailvet/sdk";
import { MutationCache, QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
import { noteFailure, noteSuccess } from "./connection.ts";
import { mode } from "./mode.ts";

/** Authenticated by the session cookie, which the browser adds. */
export const service = createClient({ baseUrl: window.location.origin, mode });

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
}

/** Without a cookie the service reports a missing API key. */
const SIGNED_OUT_CODES: ReadonlySet<string> = new Set(["not_signed_in", "missing_api_key"]);

function isSignedOut(error: unknown): boolean {
  return error instanceof MailvetProblem && SIGNED_OUT_CODES.has(error.code);
}

const SUSPENSION = ["suspension"] as const;

/** Why the account of this browser is suspended, as the service says it. */
export function suspension(): string | undefined {
  return queries.getQueryData(SUSPENSION);
}

function isSuspended(error: unknown): error is MailvetProblem {
  return error instanceof MailvetProblem && error.code === "account_suspended";
}

/**
 * A session can end at any time, and an account be suspended. Clearing the session makes the layout redirect to the sign-in
 * page, or to the page about the suspension.
 */
function handleSessionEnd(error: unknown): void {
  if (isSuspended(error)) queries.setQueryData(SUSPENSION, error.detail);
  if (isSuspended(error) || isSignedOut(error)) queries.setQueryData(sessionQuery.queryKey, null);
}

/** The service marks the page with whether the browser sent a session cookie, which scripts can't see. */
const cookieMark = document.querySelector<HTMLMetaElement>('meta[name="session-cookie"]');

/** After sign-in and sign-out. */
export function markSession(hasCookie: boolean): void {
  if (cookieMark) cookieMark.content = hasCookie ? "yes" : "no";
}

/** The current session; null when signed out or suspended. Without a cookie there is no need to ask. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: 60_000,
  async queryFn() {
    if (cookieMark?.content === "no") return null;
    try {
      return await service.auth.session();
    } catch (error) {
      handleSessionEnd(error);
      if (isSignedOut(error) || isSuspended(error)) return null;
      throw error;
    }
  },
});

/** Plan, limits and credits. */
export const accountQuery = queryOptions({ queryKey: ["account"], queryFn: () => service.account() });

/** Settings of the installation. They change only with a restart of the service. */
export const aboutQuery = queryOptions({
  queryKey: ["about"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => service.about(),
});
