/** Serving the web app: its page, its files, and paths that belong to neither. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSessions } from "../src/accounts/sessions.ts";
import { createLog } from "../src/base/log.ts";
import { createLedger } from "../src/credits/ledger.ts";
import { createPubSub } from "../src/db/pubsub.ts";
import { buildApp } from "../src/http/app.ts";
import type { HttpSettings } from "../src/http/http-settings.ts";
import { createMetrics } from "../src/http/metrics.ts";
import { createCredentialWatch } from "../src/http/middleware/credential-watch.ts";
import { createSessionCookie } from "../src/http/middleware/session-cookie.ts";
import { WEB_PAGES } from "../src/http/static/web-app.ts";
import { createIdempotentResponses } from "../src/idempotency/idempotent-responses.ts";
import { createApiKeys } from "../src/keys/api-keys.ts";
import { createOperatorKeys } from "../src/keys/operator-keys.ts";
import { createAccountLimits } from "../src/request-limits/account-limits.ts";
import { chargingOn } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { PATIENT_HTTP } from "./patience.ts";

const SCRIPT = `console.log("${"hello ".repeat(400)}");`;
const ICON = '<svg xmlns="http://www.w3.org/2000/svg"/>';

const root = mkdtempSync(join(tmpdir(), "mailvet-web-"));
const dist = join(root, "dist");
mkdirSync(join(dist, "assets"), { recursive: true });
writeFileSync(join(root, "secret.txt"), "secret content");
writeFileSync(
  join(dist, "index.html"),
  '<meta name="csp-nonce" content="__CSP_NONCE__"><meta name="session-cookie" content="__SESSION_COOKIE__"><div id="app">',
);
writeFileSync(join(dist, "index.de.html"), '<html lang="de"><div id="app">');
writeFileSync(join(dist, "favicon.svg"), ICON);
writeFileSync(join(dist, "assets/index-1a2B_c.js"), SCRIPT);
mkdirSync(join(dist, "guide/decisions"), { recursive: true });
writeFileSync(join(dist, "guide/index.html"), "<h1>Guide</h1>");
writeFileSync(join(dist, "docs-layout.html"), "<title>__TITLE__</title><header>Mailvet</header>__BODY__");
writeFileSync(join(dist, "guide/api.html"), `<h1>API</h1>${"text ".repeat(400)}`);
writeFileSync(join(dist, "guide/api.md"), "# API");
writeFileSync(join(dist, "guide/decisions/0001-one.html"), "<h1>One</h1>");
writeFileSync(join(dist, "llms.txt"), "# Mailvet");

let database: TestDatabase;
let site: Site;
beforeAll(async () => {
  database = await openTestDatabase();
  site = await openSite(dist);
});
afterAll(async () => {
  await site.close();
  await database.close();
  rmSync(root, { recursive: true });
});

type Site = { ask: Ask; close(): Promise<void> };
type Ask = (path: string, asked?: { method?: string; headers?: Record<string, string> }) => Promise<Answer>;
type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

async function openSite(webDirectory: string, settings: Partial<HttpSettings> = {}): Promise<Site> {
  const notices = createPubSub(database.connection, { log: () => {} });
  const credentialWatch = createCredentialWatch({ notices });
  const keyring = createApiKeys({ database, notices });
  const ledger = createLedger({ database });
  const app = buildApp({
    accountLimits: createAccountLimits(),
    settings: { ...PATIENT_HTTP, ...settings },
    pool: database.pool,
    apiKeys: keyring,
    operatorKeys: createOperatorKeys({ database }),
    sessions: createSessions({ database }),
    credentialWatch,
    cookie: createSessionCookie(undefined),
    idempotentResponses: createIdempotentResponses(database),
    ...chargingOn(database, ledger),
    log: createLog({ level: "silent", addresses: "masked" }),
    metrics: createMetrics(),
    version: "0.0.0",
    webDirectory,
    routes: [],
  });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = new URL(origin);

  // Not fetch, which would normalise the paths.
  const ask: Ask = (path, { method = "GET", headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const request = httpRequest({ host: "127.0.0.1", port, path, method, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts),
          }),
        );
      });
      request.on("error", reject);
      request.end();
    });
  const close = async () => {
    await app.close();
    await Promise.all([ledger.close(), keyring.close(), notices.close()]);
  };
  return { ask, close };
}

/** A browser that navigates to a page. */
const BROWSER = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const PROBLEM = "application/problem+json; charset=utf-8";
const nonceIn = (text: string) => /nonce(?:-|" content=")([\w+/=]{20,})/.exec(text)?.[1];

test("the page has a strict policy and a nonce per response", async () => {
  const [one, other] = [await site.ask("/"), await site.ask("/", BROWSER)];
  expect([one.status, one.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  const policy = one.headers["content-security-policy"] as string;
  const nonce = nonceIn(policy);
  expect(policy).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
      "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(nonceIn(one.body.toString())).toBe(nonce);
  expect(nonceIn(other.body.toString())).not.toBe(nonce);
  expect(one.headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
});

test("the server knows the pages of the web app", () => {
  const sourceOf = (name: string) => readFileSync(new URL(`../../web/src/${name}`, import.meta.url), "utf8");
  const pages = [
    ...sourceOf("router.tsx").matchAll(/\bpage\("([^"]+)"/g),
    ...sourceOf("main.tsx").matchAll(/^ {2}"(\/[^"]+)": \(\) => import/gm),
  ];
  const paths = pages.map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(10);
  const shapeOf = (path: string) => path.replaceAll(/[$:]\w+/g, "*");
  expect(WEB_PAGES.map(shapeOf).sort()).toEqual(paths.map(shapeOf).sort());
});

test.for([
  "/validate",
  "/bulk/some-job?status=valid",
  "/operator/system",
  "/sign-in",
  "/confirm-email?token=abc",
  "/reset-password?token=abc",
])("at %s every client gets the page", async (path) => {
  for (const asked of [BROWSER, {}]) {
    const page = await site.ask(path, asked);
    expect([page.status, page.headers["content-type"], page.headers["cache-control"]]).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-store",
    ]);
    expect(page.body.toString()).toContain('<div id="app">');
  }
  const posted = await site.ask(path, { ...BROWSER, method: "POST" });
  expect([posted.status, posted.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("the API reference and the problem pages have the header that is built with the guide", async () => {
  for (const [path, title] of [
    ["/docs", "Mailvet API"],
    ["/docs/problems", "Problems · Mailvet API"],
    ["/docs/problems/rate_limited", "rate_limited · Mailvet API"],
  ] as const) {
    const { status, body } = await site.ask(path, BROWSER);
    expect([status, body.toString().split("<main")[0]]).toEqual([
      200,
      expect.stringContaining(`<title>${title}</title><header>Mailvet</header>`),
    ]);
  }
});

test.for([
  "/no/such/page",
  "/bulk/some-job/more",
  "/operator",
  "/index.html",
  "/index.de.html",
  "/docs-layout.html",
  "/docs/nothing/here",
  "/docs/nothing",
  "/docs/problems/unknown",
])("at %s a browser gets 404 with the page that says so, other clients a problem", async (path) => {
  const page = await site.ask(path, BROWSER);
  expect([page.status, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
  expect(page.body.toString()).toContain('<div id="app">'); // routing in the browser shows "Page not found"
  const problem = await site.ask(path, { headers: { accept: "application/json" } });
  expect([problem.status, problem.headers["content-type"]]).toEqual([404, PROBLEM]);
  const { status } = await site.ask(path, { ...BROWSER, method: "POST" });
  expect(status).toBe(/^\/docs\/(nothing|problems\/unknown)$/.test(path) ? 405 : 404); // of a route with a parameter
});

test.for([
  ["de", { "accept-language": "de-AT,de;q=0.9,en;q=0.5" }],
  ["en", { "accept-language": "en-GB,de;q=0.9" }],
  ["en", { "accept-language": "fr" }],
  ["en", {}],
  ["de", { "accept-language": "en", cookie: "mailvet=x; mailvet-language=de" }],
  ["en", { "accept-language": "de", cookie: "mailvet-language=en" }],
  ["de", { "accept-language": "de", cookie: "mailvet-language=xx" }],
] as const)("the page is in %s for %o", async ([language, headers]) => {
  for (const path of ["/", "/no/such/page"]) {
    const page = await site.ask(path, { headers: { ...BROWSER.headers, ...headers } });
    expect(page.body.toString().includes('lang="de"')).toBe(language === "de");
    expect(page.headers).toMatchObject({
      "content-language": language,
      vary: "Accept-Language, Cookie",
      "cache-control": "no-store",
    });
  }
});

test("every response forbids embedding, opening across origins and device access", async () => {
  const responses = [
    ["/", BROWSER],
    ["/no/such/page", BROWSER],
    ["/assets/index-1a2B_c.js"],
    ["/assets/nothing.js"],
    ["/favicon.svg"],
    ["/docs"],
    ["/docs/problems"],
    ["/docs/problems/rate_limited"],
    ["/guide"],
    ["/guide/api.md"],
    ["/api/v1/openapi.json"],
    ["/api/v1/nothing"],
    ["/api/v1/nothing", { method: "OPTIONS" }],
    ["/%zz"],
    ["/health/live"],
    ["/metrics"],
  ] as const;
  for (const [path, asked] of responses) {
    const { headers } = await site.ask(path, asked);
    expect(headers, path).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
      "content-security-policy": expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
    });
    if (/json/.test(headers["content-type"] ?? ""))
      expect(headers["content-security-policy"], path).toBe("default-src 'none'; frame-ancestors 'none'");
  }
});

test.for(["/api/v1/nothing", "/api", "/health/nothing", "/assets/nothing.js"])(
  "at %s a browser gets 404 too",
  async (path) => {
    const response = await site.ask(path, BROWSER);
    expect([response.status, response.headers["content-type"]]).toEqual([404, PROBLEM]);
  },
);

test("a file with a hash in its name is immutable", async () => {
  const file = await site.ask("/assets/index-1a2B_c.js");
  expect(file.body.toString()).toBe(SCRIPT);
  expect(file.headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    vary: "accept-encoding",
  });
  expect(file.headers["content-encoding"]).toBeUndefined();
});

test.for([
  ["gzip, deflate, br, zstd", "br"],
  ["gzip", "gzip"],
  ["br;q=0, gzip;q=0.5", "gzip"],
  ["gzip;q=0", undefined],
  ["identity", undefined],
] as const)("Accept-Encoding %s gets %s", async ([accepted, encoding]) => {
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
  const { headers, body } = await site.ask("/assets/index-1a2B_c.js", {
    headers: { "accept-encoding": accepted },
  });
  expect(headers["content-encoding"]).toBe(encoding);
  expect(Number(headers["content-length"])).toBe(body.length);
  expect((encoding ? unpack[encoding](body) : body).toString()).toBe(SCRIPT);
  if (encoding) expect(body.length).toBeLessThan(SCRIPT.length / 10);
});

test("the icon is cached for an hour, then revalidated by ETag", async () => {
  const icon = await site.ask("/favicon.svg");
  expect(icon.body.toString()).toBe(ICON);
  expect(icon.headers).toMatchObject({
    "content-type": "image/svg+xml",
    "cache-control": "public, max-age=3600",
  });
  const etag = icon.headers.etag as string;
  const again = await site.ask("/favicon.svg", { headers: { "if-none-match": `"other", ${etag}` } });
  expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
  expect((await site.ask("/favicon.svg", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
});

test("the guide has clean paths, Markdown twins and a policy without inline scripts and styles", async () => {
  for (const [path, text] of [
    ["/guide", "Guide"],
    ["/guide/api", "API"],
    ["/guide/decisions/0001-one", "One"],
  ] as const) {
    const page = await site.ask(path, BROWSER);
    expect([path, page.status, page.headers["content-type"]]).toEqual([
      path,
      200,
      "text/html; charset=utf-8",
    ]);
    expect(page.body.toString()).toContain(`<h1>${text}</h1>`);
    expect(page.headers["cache-control"]).toBe("no-cache");
    expect(page.headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    const again = await site.ask(path, { headers: { "if-none-match": page.headers.etag as string } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  }
  const packed = await site.ask("/guide/api", { headers: { "accept-encoding": "br" } });
  expect(packed.headers["content-encoding"]).toBe("br");
  expect((await site.ask("/guide/api.md")).headers["content-type"]).toBe("text/markdown; charset=utf-8");
  expect((await site.ask("/llms.txt")).headers["content-type"]).toBe("text/plain; charset=utf-8");
  for (const path of ["/guide/nothing", "/guide/api.html", "/guide/index.html", "/guide/decisions"]) {
    expect([path, (await site.ask(path)).status, (await site.ask(path, BROWSER)).status]).toEqual([
      path,
      404,
      404,
    ]);
  }
});

test("HEAD has the headers of GET and no body", async () => {
  for (const path of ["/", "/validate", "/assets/index-1a2B_c.js", "/favicon.svg"]) {
    const got = await site.ask(path, BROWSER);
    const { status, headers, body } = await site.ask(path, { ...BROWSER, method: "HEAD" });
    expect([path, status, body.length]).toEqual([path, 200, 0]);
    for (const name of ["content-type", "content-length", "cache-control", "etag"]) {
      expect([path, name, headers[name]]).toEqual([path, name, got.headers[name]]);
    }
  }
});

test.for([
  "/assets/../../secret.txt",
  "/assets/..%2f..%2fsecret.txt",
  "/assets/%2e%2e/%2e%2e/secret.txt",
  "/assets/..\\..\\secret.txt",
  "/../secret.txt",
  "//secret.txt",
  "/assets/",
  "/assets/%00",
])("%s serves no file", async (path) => {
  for (const headers of [{}, BROWSER.headers]) {
    const { status, body } = await site.ask(path, { headers });
    expect(body.toString()).not.toContain("secret content");
    expect(status === 404 || body.toString().includes('<div id="app">')).toBe(true);
  }
});

test("pages are rate limited, their files are not", async () => {
  const strict = await openSite(dist, { anonymousRequestsPerMinute: 2 });
  for (let n = 0; n < 10; n++) expect((await strict.ask("/assets/index-1a2B_c.js")).status).toBe(200);
  expect((await strict.ask("/favicon.svg")).status).toBe(200);
  expect((await strict.ask("/")).status).toBe(200);
  expect((await strict.ask("/validate", BROWSER)).status).toBe(200);
  expect((await strict.ask("/validate", BROWSER)).status).toBe(429);
  expect((await strict.ask("/")).status).toBe(429);
  expect((await strict.ask("/assets/index-1a2B_c.js")).status).toBe(200);
  await strict.close();
});

test("without a built web app the page explains how to build it", async () => {
  const bare = await openSite(join(root, "nothing-here"));
  const page = await bare.ask("/");
  expect([page.status, page.headers["content-type"]]).toEqual([503, "text/html; charset=utf-8"]);
  expect(page.body.toString()).toContain("npm start");
  expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  expect((await bare.ask("/assets/index-1a2B_c.js")).status).toBe(404);
  await bare.close();
});

test("the page tells whether the request had a session cookie", async () => {
  const page = async (cookie: string) =>
    (await site.ask("/sign-in", { headers: { cookie } })).body.toString();
  expect(await page("mailvet=token")).toContain('<meta name="session-cookie" content="yes">');
  expect(await page("mailvet-device=token")).toContain('<meta name="session-cookie" content="no">');
});
