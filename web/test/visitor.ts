/**
 * Somebody in front of the browser, with cookies of their own. Whatever a page should never do in front of them is
 * written down as a complaint: errors in the console, breaches of the page's policy, requests that were refused though
 * nobody expected it, and requests to other hosts.
 */
import type { Browser, Page } from "playwright-core";

export type Visitor = AsyncDisposable & {
  page: Page;
  complaints: readonly string[];
  /** A page by its path, as if typed into the address bar. */
  open(path: string): Promise<void>;
  /** A page by its name in the menu. */
  follow(name: string): Promise<void>;
  /** What they see, as a screen reader has it, for whoever looks into a failure. */
  look(): Promise<string>;
};

export type VisitorOptions = {
  /** Already signed in by this cookie, as name=value. */
  cookie?: string | undefined;
  /** Complaints that belong to the story, such as "402 POST /api/v1/validation/single"; `*` stands for an id. */
  expected?: readonly string[] | undefined;
  /** With a phone in their hand. */
  isOnPhone?: boolean | undefined;
};

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 375, height: 800 }, isMobile: true, hasTouch: true };
/** Under the limit of a test, so that a failure says what was waited for. */
const PATIENCE_MS = 120_000;

/** The page asks who is signed in, and mostly hears it from this. */
const ALWAYS_EXPECTED = ["401 GET /api/v1/auth/session"];

export async function openVisitor(
  browser: Browser,
  url: string,
  { cookie, expected = [], isOnPhone = false }: VisitorOptions,
): Promise<Visitor> {
  const context = await browser.newContext({
    ...(isOnPhone ? PHONE : DESKTOP),
    baseURL: url,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (cookie) {
    const [name, value] = cookie.split("=", 2) as [string, string];
    await context.addCookies([{ name, value, url }]);
  }
  const complaints: string[] = [];
  const complain = (complaint: string) => {
    if (![...ALWAYS_EXPECTED, ...expected].includes(complaint)) complaints.push(complaint);
  };
  await context.exposeFunction("complain", complain);
  await context.addInitScript({ content: COMPLAIN_OF_BREACHES });
  const page = await context.newPage();
  watch(page, url, complain);
  return {
    page,
    complaints,
    open: async (path) => void (await page.goto(path)),
    follow: (name) =>
      page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click(),
    look: async () => `${page.url()}\n${await page.locator("body").ariaSnapshot()}`,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const COMPLAIN_OF_BREACHES = `document.addEventListener("securitypolicyviolation", (breach) =>
  complain("policy: " + breach.violatedDirective + " by " + breach.blockedURI));`;

function watch(page: Page, url: string, complain: (complaint: string) => void): void {
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    // What was refused is judged below, by what was asked.
    if (!message.text().startsWith("Failed to load resource")) complain(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complain(`uncaught: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url)
      complain(`request to elsewhere: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() < 400) return;
    const path = new URL(response.url()).pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "*");
    complain(`${response.status()} ${response.request().method()} ${path}`);
  });
}
