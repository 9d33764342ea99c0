/**
 * /docs: the API reference, rendered by Scalar from the OpenAPI document. /docs/problems: the problem codes.
 *
 * The page of Scalar's own plugin has an inline script. Ours loads scripts from this server only, so that it works under
 * a strict Content-Security-Policy. The bundle is loaded on first request.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import Fastify, { type FastifyPluginAsync, type RouteOptions } from "fastify";
import type { SessionCookie } from "../middleware/session-cookie.ts";
import { problemPages } from "../openapi/problem-page.ts";
import { REFERENCE_SCRIPT, REFERENCE_STYLES, referencePage } from "../openapi/reference-page.ts";
import type { DocsLayout } from "../static/docs-layout.ts";
import { GUIDE_CSP } from "../static/web-app.ts";

export type DocsDeps = {
  layout: DocsLayout;
  cookie: Pick<SessionCookie, "read">;
  /** Complete when the app is ready. */
  routes: readonly RouteOptions[];
};

export const docsRoutes =
  ({ layout, cookie, routes }: DocsDeps): FastifyPluginAsync =>
  async (app) => {
    let loading: Promise<Bundle> | undefined;
    const bundle = () => {
      loading ??= loadBundle();
      loading.catch(() => {
        loading = undefined;
      });
      return loading;
    };
    let built: ReturnType<typeof problemPages> | undefined;
    const problems = () => {
      built ??= problemPages(routes);
      return built;
    };

    app.get("/docs", async (request, reply) => {
      const page = referencePage((await bundle()).name, cookie.read(request) !== undefined);
      return reply.headers({ ...HTML, "content-security-policy": REFERENCE_CSP }).send(layout(page));
    });
    app.get("/docs/reference.js", async (_request, reply) => reply.headers(SCRIPT).send(REFERENCE_SCRIPT));
    app.get("/docs/reference.css", async (_request, reply) => reply.headers(STYLES).send(REFERENCE_STYLES));

    app.get("/docs/:bundle", async (request, reply) => {
      const { name, plain, gzipped } = await bundle();
      if ((request.params as { bundle: string }).bundle !== name) return reply.callNotFound();
      reply.headers({
        ...SCRIPT,
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
      });
      const acceptsGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
      if (!acceptsGzip) return reply.send(plain);
      return reply.header("content-encoding", "gzip").send(gzipped);
    });

    app.get("/docs/problems", async (_request, reply) =>
      reply.headers({ ...HTML, "content-security-policy": GUIDE_CSP }).send(layout(problems().index)),
    );
    app.get("/docs/problems/:code", async (request, reply) => {
      const page = problems().of.get((request.params as { code: string }).code);
      if (!page) return reply.callNotFound();
      return reply.headers({ ...HTML, "content-security-policy": GUIDE_CSP }).send(layout(page));
    });
  };

const HTML = { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" };
const SCRIPT = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" };
const STYLES = { "content-type": "text/css; charset=utf-8", "cache-control": "no-cache" };
// Scalar inserts style elements at run time. Scripts come from this server only.
const REFERENCE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Bundle = { name: string; plain: Buffer; gzipped: Buffer };

async function loadBundle(): Promise<Bundle> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  await using app = Fastify(); // the plugin exposes its bundle over a route only
  await app.register(scalar, { routePrefix: "/", configuration: { content: {} } });
  const { rawPayload } = await app.inject("/js/scalar.js");
  const hash = createHash("sha256").update(rawPayload).digest("hex").slice(0, 12);
  return { name: `scalar-${hash}.js`, plain: rawPayload, gzipped: await promisify(gzip)(rawPayload) };
}
