/**
 * /docs: the API reference, rendered by Scalar from the OpenAPI document. /docs/problems: the problem codes.
 *
 * The page of Scalar's own plugin has an inline script. Ours loads scripts from this server only, so that it works under
 * a strict Content-Security-Policy. The bundle is loaded on first request.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { API_PREFIX } from "@mailvet/contract";
import Fastify, { type FastifyPluginAsync } from "fastify";
import { PROBLEM_PAGE, PROBLEM_PAGE_CSP } from "../openapi/problem-page.ts";

export const docsRoutes: FastifyPluginAsync = async (app) => {
  let loading: Promise<Bundle> | undefined;
  const bundle = () => {
    loading ??= loadBundle();
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };

  app.get("/docs", async (_request, reply) =>
    reply.headers({ ...HTML, "content-security-policy": PAGE_CSP }).send(pageFor((await bundle()).name)),
  );

  app.get("/docs/init.js", async (_request, reply) => reply.headers(SCRIPT).send(INIT));

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
    reply.headers({ ...HTML, "content-security-policy": PROBLEM_PAGE_CSP }).send(PROBLEM_PAGE),
  );
};

const HTML = { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" };
const SCRIPT = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" };
// Scalar inserts style elements at run time. Scripts come from this server only.
const PAGE_CSP =
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

const pageFor = (bundleName: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mailvet API</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"></head>
<body><div id="app"></div><script src="/docs/${bundleName}"></script><script src="/docs/init.js"></script></body>
</html>
`;

const INIT = `Scalar.createApiReference("#app", {
  url: "${API_PREFIX}/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
});
`;
