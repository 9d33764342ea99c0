/** Parses request bodies: UTF-8 JSON and nothing else. */
import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../../refusal.ts";

export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error"); // __proto__ and constructor.prototype are refused, not stripped
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    // Many clients send the content type on every request. Where no body is expected, an empty one is fine.
    if (body.length === 0 && !request.routeOptions.schema?.body) return done(null, undefined);
    // Lenient decoding would replace bytes and turn an address into a different one.
    if (!isUtf8(body)) return done(new Refusal("malformed_request", "The body is not valid UTF-8."));
    parse(request, body.toString("utf8"), done);
  });
}
