/** Request bodies are UTF-8 JSON and nothing else, unless a scope adds its own parsers. */
import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../../base/refusal.ts";

export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error"); // __proto__ and constructor.prototype are refused, not stripped
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    // Many clients send the content type on every request. Where no body is expected, an empty one is fine.
    if (body.length === 0 && !request.routeOptions.schema?.body) return done(null, undefined);
    // Lenient decoding would replace bytes and turn an address into a different one.
    if (!isUtf8(body)) return done(new Refusal("malformed_request", "The body is not valid UTF-8."));
    const text = body.toString("utf8");
    parse(request, text, (error, value) => {
      if (error) done(isJson(text) ? notAllowed() : error);
      else done(hasMoreLevels(value, MAX_LEVELS) ? tooDeep() : null, value);
    });
  });
}

/** JSON.parse reads any depth, but what walks through the value later, as JSON.stringify does, would exhaust the stack. */
const MAX_LEVELS = 100;

const tooDeep = () =>
  new Refusal("malformed_request", `The body has more than ${MAX_LEVELS} levels of arrays and objects.`);
const notAllowed = () =>
  new Refusal(
    "malformed_request",
    "The body has a member named __proto__ or constructor.prototype, which is not allowed.",
  );

/** The parser does not tell a member that it refuses from a syntax error. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function hasMoreLevels(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => hasMoreLevels(member, levels - 1));
}
