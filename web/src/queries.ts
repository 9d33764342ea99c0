/** The service, and what this page has lately heard from it. */
import { createClient, MailvetProblem } from "@mailvet/sdk";
import { MutationCache, QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";

/** The browser sends the session's cookie along by itself. */
export const service = createClient({ baseUrl: window.location.origin });

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: handleSessionEnd }),
  mutationCache: new MutationCache({ onError: handleSessionEnd }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The client tries again by itself where that may help.
      retry: false,
    },
  },
});

/** Without a cookie the service takes us for a program that has forgotten its key. */
const SIGNED_OUT_CODES: ReadonlySet<string> = new Set(["not_signed_in", "missing_api_key"]);

function isSignedOut(error: unknown): boolean {
  return error instanceof MailvetProblem && SIGNED_OUT_CODES.has(error.code);
}

/** A session may end at any moment: then whoever looks at it hears of it, and the frame sends them to sign in. */
function handleSessionEnd(error: unknown): void {
  if (isSignedOut(error)) queries.setQueryData(sessionQuery.queryKey, null);
}

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: 60_000,
  async queryFn() {
    try {
      return await service.auth.session();
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});

/** Plan, limits and credits. */
export const accountQuery = queryOptions({ queryKey: ["account"], queryFn: () => service.account() });

/** What this installation offers. It changes when the service is started anew, and so does this page. */
export const aboutQuery = queryOptions({
  queryKey: ["about"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => service.about(),
});
