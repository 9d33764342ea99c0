/** The baseline: Fastify with one route that returns given bytes. */
import Fastify from "fastify";

process.once("message", async (body: string) => {
  const app = Fastify();
  app.get("/", (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
  process.send?.(await app.listen({ host: "127.0.0.1", port: 0 }));
});
