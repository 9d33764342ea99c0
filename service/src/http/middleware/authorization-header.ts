/**
 * For clients of Reacher's API: the key is also taken from Authorization without a scheme, and from Reacher's own header.
 * X-API-Key wins.
 */
import { HEADERS } from "@mailvet/contract";
import type { FastifyInstance } from "fastify";

/** For the routes of `app`. Runs before authentication. */
export function acceptAuthorizationHeader(app: FastifyInstance): void {
  app.addHook("onRequest", ({ headers }, _reply, done) => {
    const { authorization = "" } = headers;
    const given = authorization.includes(" ") ? undefined : authorization || headers["x-reacher-secret"];
    if (given !== undefined) headers[HEADERS.apiKey] ??= given;
    done();
  });
}
