/**
 * Serves the web app: its page at / and at every path where a browser asks for HTML, and its files.
 *
 * The Content-Security-Policy of the page allows scripts of this origin only, and styles of this origin or with the nonce
 * of the response. Other clients get a problem document for unknown paths (app.ts).
 */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { readWebFiles, type WebFile } from "./web-files.ts";

export type WebApp = {
  /** Whether a browser asks for HTML, outside the paths of the service itself. */
  isPageRequest(request: FastifyRequest): boolean;
  /** The same page for every path: routing happens in the browser. */
  sendPage(reply: FastifyReply): FastifyReply;
  /** Routes of pages that are linked from emails. */
  pages: FastifyPluginAsync;
  files: FastifyPluginAsync;
};

/** Output of `vite build`. */
const WEB_DIST = fileURLToPath(new URL("../../../../web/dist/", import.meta.url));

export function createWebApp(directory = WEB_DIST): WebApp {
  const files = readWebFiles(directory);
  const html = files?.get("/index.html")?.plain.toString();

  const sendPage: WebApp["sendPage"] = (reply) => {
    if (html === undefined)
      return reply
        .code(503)
        .headers({ ...HTML, "content-security-policy": DENY_ALL_CSP })
        .send(NOT_BUILT);
    const nonce = randomBytes(16).toString("base64");
    return reply
      .headers({ ...HTML, "content-security-policy": pageCsp(nonce) })
      .send(html.replaceAll("__CSP_NONCE__", nonce));
  };

  return {
    isPageRequest: ({ method, url, headers }) =>
      (method === "GET" || method === "HEAD") &&
      /\btext\/html\b/.test(headers.accept ?? "") &&
      !OWN_PATHS.test(url),
    sendPage,
    async pages(app) {
      for (const path of LINKED_PAGES) app.get(path, (_request, reply) => sendPage(reply));
    },
    async files(app) {
      app.get("/assets/*", (request, reply) =>
        sendFile(files?.get(pathOf(request)), request, reply, "public, max-age=31536000, immutable"),
      );
      for (const [path, file] of files ?? []) {
        if (path === "/index.html" || path.startsWith("/assets/")) continue;
        app.get(path, (request, reply) => sendFile(file, request, reply, "public, max-age=3600"));
      }
    },
  };
}

/** Linked from outside, so they are HTML whatever the Accept header says. */
const LINKED_PAGES = ["/", "/sign-in", "/sign-up", "/confirm-email", "/reset-password"];
/** Paths of the service, including 404s below them. */
const OWN_PATHS = /^\/(?:api|docs|health|metrics|assets)(?:[/?]|$)/;

const pathOf = ({ url }: FastifyRequest) => url.split("?", 1)[0]!;

async function sendFile(
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
  // An SVG opened as a document could run scripts.
  return reply.headers({ "content-type": contentType, "content-security-policy": DENY_ALL_CSP }).send(body);
}

const HTML = { "content-type": "text/html; charset=utf-8" };

const DENY_ALL_CSP = "default-src 'none'; frame-ancestors 'none'";
const pageCsp = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
  "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

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
