/**
 * Serves the web app: the same page at every path of its router, its files, and the guide that is built with it.
 *
 * The Content-Security-Policy of the page allows scripts of this origin only, and styles of this origin or with the nonce
 * of the response. At an unknown path a browser gets the page with 404, and its router shows that the page does not exist;
 * other clients get a problem document (app.ts). The page says whether the request had a session cookie, so that the app
 * of an anonymous visitor does not ask for the session.
 */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { LANGUAGES, type Language } from "@mailvet/contract";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { answerIn } from "../middleware/language.ts";
import type { SessionCookie } from "../middleware/session-cookie.ts";
import { createDocsLayout, type DocsLayout } from "./docs-layout.ts";
import { readWebFiles, type WebFile } from "./web-files.ts";

export type WebApp = {
  /** Whether a browser asks for HTML, outside the paths of the service itself. */
  isPageRequest(request: FastifyRequest): boolean;
  /** For paths without a page. */
  sendUnknownPage(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  pages: FastifyPluginAsync;
  files: FastifyPluginAsync;
  /** Of /docs and the problem pages. */
  docsLayout: DocsLayout;
};

/** Output of `vite build`. */
const WEB_DIST = fileURLToPath(new URL("../../../../web/dist/", import.meta.url));

export function createWebApp(cookie: Pick<SessionCookie, "read">, directory = WEB_DIST): WebApp {
  const files = readWebFiles(directory);
  const pageIn = new Map(
    LANGUAGES.map((language) => {
      const file = files?.get(PAGE_FILES[language]) ?? files?.get(PAGE_FILES.en);
      return [language, file?.plain.toString()];
    }),
  );

  const sendPage = (request: FastifyRequest, reply: FastifyReply, status: 200 | 404) => {
    const html = pageIn.get(answerIn(request, reply));
    if (html === undefined) return reply.code(503).headers(HTML).send(NOT_BUILT);
    const nonce = randomBytes(16).toString("base64");
    return reply
      .code(status)
      .headers({ ...HTML, "content-security-policy": pageCsp(nonce) })
      .send(
        html
          .replaceAll("__CSP_NONCE__", nonce)
          .replace("__SESSION_COOKIE__", cookie.read(request) === undefined ? "no" : "yes"),
      );
  };

  return {
    isPageRequest: ({ method, url, headers }) =>
      (method === "GET" || method === "HEAD") &&
      /\btext\/html\b/.test(headers.accept ?? "") &&
      !OWN_PATHS.test(url),
    sendUnknownPage: (request, reply) => sendPage(request, reply, 404),
    docsLayout: createDocsLayout(files?.get("/docs-layout.html")?.plain.toString()),
    async pages(app) {
      for (const path of WEB_PAGES) app.get(path, (request, reply) => sendPage(request, reply, 200));
    },
    async files(app) {
      app.get("/assets/*", (request, reply) =>
        sendFile(files?.get(pathOf(request)), request, reply, "public, max-age=31536000, immutable"),
      );
      for (const [path, file] of files ?? []) {
        if (TEMPLATES.has(path) || path.startsWith("/assets/")) continue;
        const isGuidePage = path.startsWith("/guide/") && path.endsWith(".html");
        app.get(isGuidePage ? guidePath(path) : path, (request, reply) => {
          if (isGuidePage) reply.header("content-security-policy", GUIDE_CSP);
          return sendFile(file, request, reply, isGuidePage ? "no-cache" : "public, max-age=3600");
        });
      }
    },
  };
}

/** The web app is built once per language (web/language-plugin.ts). */
const PAGE_FILES: Record<Language, string> = { en: "/index.html", de: "/index.de.html" };

/** The paths of web/src/router.tsx and, before sign-in, of web/src/main.tsx. They are HTML whatever the Accept header says. */
export const WEB_PAGES = [
  "/sign-in",
  "/sign-up",
  "/forgotten-password",
  "/reset-password",
  "/confirm-email",
  "/suspended",
  "/",
  "/validate",
  "/bulk",
  "/bulk/:job_id",
  "/lists",
  "/lists/:list_id",
  "/keys",
  "/webhooks",
  "/webhooks/:webhook_id",
  "/usage",
  "/audit",
  "/settings",
  "/operator/accounts",
  "/operator/accounts/:account_id",
  "/operator/jobs",
  "/operator/keys",
  "/operator/audit",
  "/operator/system",
];
/** Paths of the service that are no pages, including 404s below them. */
const OWN_PATHS = /^\/(?:api|health|metrics|assets)(?:[/?]|$)/;

/** Filled in for each response. */
const TEMPLATES: ReadonlySet<string> = new Set([...Object.values(PAGE_FILES), "/docs-layout.html"]);

/** /guide/index.html → /guide, /guide/api.html → /guide/api */
const guidePath = (file: string) => file.replace(/(?:\/index)?\.html$/, "");

const pathOf = ({ url }: FastifyRequest) => url.split("?", 1)[0]!;

export async function sendFile(
  file: WebFile | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl: string,
): Promise<FastifyReply> {
  if (!file) {
    reply.callNotFound();
    return reply;
  }
  const { contentType, etag } = file;
  reply.headers({ "cache-control": cacheControl, etag, vary: "accept-encoding" });
  if (request.headers["if-none-match"]?.split(/,\s*/).includes(etag)) return reply.code(304).send();
  const { body, encoding } = await file.encodedFor(String(request.headers["accept-encoding"] ?? ""));
  if (encoding) reply.header("content-encoding", encoding);
  return reply.header("content-type", contentType).send(body);
}

const HTML = { "content-type": "text/html; charset=utf-8" };

const pageCsp = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
  "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Of pages that are complete without JavaScript. */
export const GUIDE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailvet</title>
<h1>The web app is not built</h1>
<p>The API works without it. To build it, stop the service and start it with <code>npm start</code>, or run
<code>npm run build -w web</code> and start the service again.</p>
<p><a href="/docs">API reference</a></p>
</html>
`;
