/** Reads request bodies: UTF-8 JSON and nothing else. */
import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../../refusal.ts";

export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error"); // __proto__ and the like are refused, not cleaned
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    // Many clients name the content type on every request. Where no body is asked for, an empty one is fine.
    if (body.length === 0 && !request.routeOptions.schema?.body) return done(null, undefined);
    // Decoding leniently would quietly turn an address into another one.
    if (!isUtf8(body)) return done(new Refusal("malformed_request", "The body is not UTF-8 text."));
    parse(request, body.toString("utf8"), done);
  });
}
