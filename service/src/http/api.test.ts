import Fastify from "fastify";
import { expect, test } from "vitest";
import { type ApiDeps, apiRoutes } from "./api.ts";
import { HTTP_DEFAULTS } from "./http-settings.ts";

test("a route without access fails at start", async () => {
  await using app = Fastify();
  const bare: ApiDeps["routes"][number] = async (api) => {
    api.get("/bare", async () => "ok");
  };
  const deps = { settings: HTTP_DEFAULTS, routes: [bare], ledger: {} };
  app.register(apiRoutes(deps as unknown as ApiDeps), { prefix: "/api/v1" });
  await expect(app.ready()).rejects.toThrow("GET /api/v1/bare has no config.access");
});
