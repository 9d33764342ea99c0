/** Routes behind sign-in. Each page is a separate chunk, fetched on the first visit. Those before sign-in: main.tsx. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from "@tanstack/react-router";
import { RouteAnnouncer } from "./components/document-title.tsx";
import { PageError, PageNotFound } from "./components/error-pages.tsx";
import { PageLoading } from "./components/loading.tsx";
import { accountQuery, leaveApp, queries, sessionQuery, untilReachable } from "./queries.ts";

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <RouteAnnouncer />
    </>
  ),
  notFoundComponent: PageNotFound,
});

/** Parent of all pages that need a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: lazyRouteComponent(() => import("./shell/app-layout.tsx"), "Page"),
  async beforeLoad({ location }) {
    const session = await queries.ensureQueryData(sessionQuery);
    if (!session) {
      leaveApp(location.href);
      await new Promise(() => {}); // until the browser has left
    }
    void queries.prefetchQuery(accountQuery); // in parallel with the page's chunk
  },
});
const page = <P extends string>(path: P, load: () => Promise<{ Page: () => React.ReactNode }>) =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    component: lazyRouteComponent(() => loadWhenReachable(load), "Page"),
    validateSearch: textSearch,
  });

const routes = root.addChildren([
  signedIn.addChildren([
    page("/", () => import("./pages/overview/overview-page.tsx")),
    page("/validate", () => import("./pages/validate/validate-page.tsx")),
    page("/bulk", () => import("./pages/bulk/bulk-page.tsx")),
    page("/bulk/$jobId", () => import("./pages/job/job-page.tsx")),
    page("/lists", () => import("./pages/lists/lists-page.tsx")),
    page("/lists/$listId", () => import("./pages/lists/list-page.tsx")),
    page("/keys", () => import("./pages/keys/keys-page.tsx")),
    page("/webhooks", () => import("./pages/webhooks/webhooks-page.tsx")),
    page("/webhooks/$webhookId", () => import("./pages/webhooks/webhook-page.tsx")),
    page("/usage", () => import("./pages/usage/usage-page.tsx")),
    page("/audit", () => import("./pages/audit/audit-page.tsx")),
    page("/settings", () => import("./pages/settings/settings-page.tsx")),
    page("/operator/accounts", () => import("./pages/operator/accounts-page.tsx")),
    page("/operator/accounts/$accountId", () => import("./pages/operator/account-page.tsx")),
    page("/operator/jobs", () => import("./pages/operator/jobs-page.tsx")),
    page("/operator/keys", () => import("./pages/operator-keys/operator-keys-page.tsx")),
    page("/operator/audit", () => import("./pages/audit/operator-audit-page.tsx")),
    page("/operator/system", () => import("./pages/operator/system-page.tsx")),
  ]),
]);

/**
 * The router reloads the document when the code of a page can't be loaded: a newer release may have replaced it. While the
 * service can't be reached, that would leave the app for an error page of the browser, so this waits, below the banner.
 */
async function loadWhenReachable<T>(load: () => Promise<T>): Promise<T> {
  return load().catch(async () => {
    await untilReachable();
    return load();
  });
}

/** Search parameters are optional strings; each page validates those it uses. */
function textSearch(search: Record<string, unknown>): Record<string, string | undefined> {
  const known = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
}

function stringifySearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams(textSearch(search) as Record<string, string>).toString();
  return text === "" ? "" : `?${text}`;
}

export const router = createRouter({
  routeTree: routes,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch,
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: PageError,
  notFoundMode: "root",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
