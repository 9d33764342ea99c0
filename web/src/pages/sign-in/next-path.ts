/** Redirect target after sign-in. Only paths of this origin are allowed (open redirect protection). */
const SIGN_IN_PAGES = /^\/(sign-in|sign-up|forgotten-password|reset-password|confirm-email)\/?$/;

/** The `next` parameter if it is a path of this origin, else the overview. */
export function nextPath(next: string | undefined, origin: string): string {
  if (!next?.startsWith("/") || !URL.canParse(next, origin)) return "/";
  const { origin: targetOrigin, pathname, search, hash } = new URL(next, origin);
  // "//host" and "/\host" resolve to another origin; "/.//host" would when its pathname is parsed again.
  const isSameOrigin = targetOrigin === origin && !pathname.startsWith("//");
  return isSameOrigin && !SIGN_IN_PAGES.test(pathname) ? `${pathname}${search}${hash}` : "/";
}
