/**
 * Entry point: one of the pages before sign-in, or the app with its router and query cache, which those pages don't need.
 * From one to the other the browser loads the document again.
 */
import { RouteAnnouncer } from "./components/document-title.tsx";
import { mount } from "./mount.tsx";
import { hasSessionCookie } from "./service.ts";

const PAGES_BEFORE_SIGN_IN: Readonly<Record<string, () => Promise<{ Page: React.ComponentType }>>> = {
  "/sign-in": () => import("./pages/sign-in/sign-in-page.tsx"),
  "/sign-up": () => import("./pages/sign-in/sign-up-page.tsx"),
  "/forgotten-password": () => import("./pages/sign-in/forgotten-password-page.tsx"),
  "/reset-password": () => import("./pages/sign-in/reset-password-page.tsx"),
  "/confirm-email": () => import("./pages/sign-in/confirm-email-page.tsx"),
  "/suspended": () => import("./pages/sign-in/suspended-page.tsx"),
};

// The app would redirect too; this saves a first visit from loading it. Other paths may not exist, which the router knows.
if (window.location.pathname === "/" && !hasSessionCookie)
  window.history.replaceState(null, "", `/sign-in?${new URLSearchParams({ next: "/" })}`);

// A page that the back button restores from memory may show the data of a session that has ended.
window.addEventListener("pageshow", ({ persisted }) => persisted && window.location.reload());

const loadPage = PAGES_BEFORE_SIGN_IN[window.location.pathname.replace(/(?<=.)\/$/, "")];
if (loadPage) {
  const { Page } = await loadPage();
  mount(
    <>
      <Page />
      <RouteAnnouncer />
    </>,
  );
} else {
  const { App } = await import("./app.tsx");
  mount(<App />);
}
