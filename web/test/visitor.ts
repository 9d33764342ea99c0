/**
 * A browser context with its own cookies that records what a page should never do: console errors, violations of the
 * content security policy, unexpected error responses, requests to other hosts.
 */
import type { Browser, Page, Request } from "playwright-core";
import { expect } from "vitest";

export type Visitor = AsyncDisposable & {
  page: Page;
  errors: readonly string[];
  /** Loads a path. */
  open(path: string): Promise<void>;
  /** Follows a link of the menu. */
  follow(name: string): Promise<void>;
  /** Resolves when the page, or another one of this browser, has all its data, and no request is in flight. */
  settled(page?: Page): Promise<void>;
  /** URL and accessibility tree, for failure messages. */
  snapshot(): Promise<string>;
};

export type VisitorOptions = {
  /** Session cookie, as name=value. */
  cookie?: string | undefined;
  /** Errors that the journey causes, such as "402 POST /api/v1/validation/single"; `*` stands for any text. */
  expected?: readonly string[] | undefined;
  isOnPhone?: boolean | undefined;
  /** The browser's language and region; British English by default. */
  locale?: string | undefined;
  /** Opens the service by the name localhost, not by its IP address. */
  usesLocalhost?: boolean | undefined;
};

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 375, height: 800 }, isMobile: true, hasTouch: true };
/** Well below the test timeout, so that a failure names the element also when earlier steps were slow. */
const TIMEOUT_MS = 300_000;
/** A page that hangs has none. */
const SNAPSHOT_TIMEOUT_MS = 30_000;

/** Requests in flight when a session ends, in journeys that end one. */
export const SESSION_ENDS = "401 GET *";

/** The response to the session query with the cookie of a session that has ended. */
const ALWAYS_EXPECTED = ["401 GET /api/v1/auth/session"];

export async function openVisitor(
  browser: Browser,
  serviceUrl: string,
  { cookie, expected = [], isOnPhone = false, locale = "en-GB", usesLocalhost = false }: VisitorOptions,
): Promise<Visitor> {
  const url = usesLocalhost ? serviceUrl.replace("127.0.0.1", "localhost") : serviceUrl;
  const context = await browser.newContext({
    ...(isOnPhone ? PHONE : DESKTOP),
    baseURL: url,
    locale,
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  if (cookie) {
    const [name, value] = cookie.split("=", 2) as [string, string];
    await context.addCookies([{ name, value, url }]);
  }
  const errors: string[] = [];
  const patterns = [...ALWAYS_EXPECTED, ...expected].map(patternOf);
  const record = (error: string) => {
    if (!patterns.some((pattern) => pattern.test(error))) errors.push(error);
  };
  const inFlight = new Set<Request>();
  context.on("request", (request) => inFlight.add(request));
  context.on("requestfinished", (request) => inFlight.delete(request));
  context.on("requestfailed", (request) => inFlight.delete(request));
  await context.exposeFunction("recordError", record);
  await context.addInitScript({ content: RECORD_CSP_VIOLATIONS });
  const page = await context.newPage();
  watch(page, url, record);
  return {
    page,
    errors,
    open: async (path) => void (await page.goto(path)),
    follow: (name) =>
      page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click(),
    async settled(shown = page) {
      await shown.getByRole("heading", { level: 1 }).waitFor();
      const loading = shown.getByRole("status", { name: "Loading" });
      await expect.poll(async () => (await loading.count()) + inFlight.size).toBe(0);
    },
    snapshot: async () =>
      `${page.url()}\n${await page.locator("body").ariaSnapshot({ timeout: SNAPSHOT_TIMEOUT_MS })}`,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const patternOf = (text: string) =>
  new RegExp(`^${text.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`);

const RECORD_CSP_VIOLATIONS = `document.addEventListener("securitypolicyviolation", (violation) =>
  recordError("policy: " + violation.violatedDirective + " by " + violation.blockedURI));`;

/** Error responses are recorded below, with their request. On a busy machine a preloaded font is used late. */
const IGNORED = /^Failed to load resource|was preloaded using link preload but not used within a few seconds/;

function watch(page: Page, url: string, record: (error: string) => void): void {
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    if (!IGNORED.test(message.text())) record(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => record(`uncaught: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url)
      record(`request to another origin: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() < 400) return;
    const path = new URL(response.url()).pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "*");
    record(`${response.status()} ${response.request().method()} ${path}`);
  });
}
