/** Where to go after signing in: the page one came from, and never another site. */
const SIGN_IN_PAGES = /^\/(sign-in|sign-up|forgotten-password|reset-password|confirm-email)\/?$/;

/** The `next` of the address, if it is a path of our own; else the overview. */
export function nextPath(next: string | undefined, origin: string): string {
  if (!next?.startsWith("/") || !URL.canParse(next, origin)) return "/";
  const { origin: itsOrigin, pathname, search, hash } = new URL(next, origin);
  // "//host" and "/\host" lead elsewhere; "/.//host" would once it is read a second time.
  const isOurs = itsOrigin === origin && !pathname.startsWith("//");
  return isOurs && !SIGN_IN_PAGES.test(pathname) ? `${pathname}${search}${hash}` : "/";
}
