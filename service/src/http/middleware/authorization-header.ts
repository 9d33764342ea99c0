/**
 * For clients of other protocols, which cannot send X-API-Key: the key is taken from Authorization, with or without
 * "Bearer", or from Reacher's own header. X-API-Key wins.
 */
import { HEADERS } from "@mailvet/contract";
import type { FastifyInstance } from "fastify";

const BEARER = /^bearer +/i;

/** For the routes of `app`. Runs before authentication. */
export function acceptAuthorizationHeader(app: FastifyInstance): void {
  app.addHook("onRequest", ({ headers }, _reply, done) => {
    const given = headers.authorization?.replace(BEARER, "") || headers["x-reacher-secret"];
    if (given !== undefined) headers[HEADERS.apiKey] ??= given;
    done();
  });
}
