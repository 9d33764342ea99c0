/** GET /about: what everybody may know of this installation, so that a page offers only what works here. */
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
  summary: "This installation",
  description:
    "Whether accounts may be opened and mails go out, how long results are kept, and how much a file may hold. Nobody has to be signed in.",
  response: { 200: About },
};
