/** API client of the web app, and what its errors say about the session. Without the query cache, for the pages before sign-in. */
import { createClient, MailvetProblem } from "@mailvet/sdk";
import { mode } from "./mode.ts";

/** Authenticated by the session cookie, which the browser adds. */
export const service = createClient({ baseUrl: window.location.origin, mode });

/** Whether the browser sent a session cookie with the request for this document. Scripts can't see the cookie itself. */
export const hasSessionCookie =
  document.querySelector<HTMLMetaElement>('meta[name="session-cookie"]')?.content !== "no";

/** Without a cookie the service reports a missing API key. */
const SIGNED_OUT_CODES: ReadonlySet<string> = new Set(["not_signed_in", "missing_api_key"]);

export function isSignedOut(error: unknown): boolean {
  return error instanceof MailvetProblem && SIGNED_OUT_CODES.has(error.code);
}

export function isSuspended(error: unknown): error is MailvetProblem {
  return error instanceof MailvetProblem && error.code === "account_suspended";
}
