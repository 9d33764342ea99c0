/**
 * A browser context with its own cookies that records what a page should never do: console errors, violations of the
 * content security policy, unexpected error responses, requests to other hosts.
 */
import type { Browser, Page } from "playwright-core";

export type Visitor = AsyncDisposable & {
  page: Page;
  errors: readonly string[];
  /** Loads a path. */
  open(path: string): Promise<void>;
  /** Follows a link of the menu. */
  follow(name: string): Promise<void>;
  /** URL and accessibility tree, for failure messages. */
  snapshot(): Promise<string>;
};

export type VisitorOptions = {
  /** Session cookie, as name=value. */
  cookie?: string | undefined;
  /** Errors that the journey causes, such as "402 POST /api/v1/validation/single"; `*` stands for an id. */
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
  const record = (error: string) => {
    if (![...ALWAYS_EXPECTED, ...expected].includes(error)) errors.push(error);
  };
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
    snapshot: async () =>
      `${page.url()}\n${await page.locator("body").ariaSnapshot({ timeout: SNAPSHOT_TIMEOUT_MS })}`,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const RECORD_CSP_VIOLATIONS = `document.addEventListener("securitypolicyviolation", (violation) =>
  recordError("policy: " + violation.violatedDirective + " by " + violation.blockedURI));`;

function watch(page: Page, url: string, record: (error: string) => void): void {
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    // Error responses are recorded below, with their request.
    if (!message.text().startsWith("Failed to load resource")) record(`console: ${message.text()}`);
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
