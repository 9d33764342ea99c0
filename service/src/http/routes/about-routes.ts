/** GET /about: public information about the installation, so that a client offers only what is enabled. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { About } from "@mailvet/contract";
import "../route-config.ts";

export const aboutRoutes =
  (about: About): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/about", { schema: GET_ABOUT, config: { access: "open" } }, async () => about);
  };

const GET_ABOUT = {
  operationId: "getAbout",
  tags: ["about"],
  summary: "Retrieve public information",
  description:
    "Returns whether sign-up is open, whether email is configured, how long results are kept and how large a file may be. No authentication required.",
  response: { 200: About },
};
