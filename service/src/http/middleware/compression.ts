/**
 * Compresses answers of the API. Downloads and event streams are streams, and files of the web app compressed already: both pass as they
 * are.
 *
 * The length of a compressed answer tells how much of it repeats, so a secret beside text that an attacker chose can be guessed
 * from lengths (BREACH). New keys and secrets are in answers to POST, PUT and PATCH, which are not compressed. Of those only
 * verdicts are: they are large and have no secret.
 */
import { API_PREFIX } from "@mailvet/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler, RouteOptions } from "fastify";
import { acceptedEncoding, compressed, isText, MIN_COMPRESSED_BYTES } from "../static/content-encoding.ts";

/** As the last hook of each route: those before it read the answer. Before the routes are registered. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (route.method === "HEAD" || !isFreeOfSecrets(route)) return;
    route.onSend = [route.onSend ?? []].flat().concat(compress as onSendHookHandler);
  });
}

const isFreeOfSecrets = ({ method, url }: RouteOptions) =>
  url.startsWith(`${API_PREFIX}/`) && (method === "GET" || url.startsWith(`${API_PREFIX}/validation/`));

function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload: unknown) => void,
): void {
  const body = typeof payload === "string" || Buffer.isBuffer(payload) ? Buffer.from(payload) : undefined;
  if (!body || body.length < MIN_COMPRESSED_BYTES || !mayBeEncoded(reply)) {
    done(null, payload);
    return;
  }
  const vary = reply.getHeader("vary");
  reply.header("vary", vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`);
  const encoding = acceptedEncoding(request.headers["accept-encoding"]?.toString());
  if (!encoding) {
    done(null, payload);
    return;
  }
  compressed(body, encoding).then(
    (encoded) => {
      reply.header("content-encoding", encoding).removeHeader("content-length");
      done(null, encoded);
    },
    (error) => done(error, payload),
  );
}

function mayBeEncoded(reply: FastifyReply): boolean {
  return (
    !reply.hasHeader("content-encoding") &&
    !reply.hasHeader("etag") &&
    isText(String(reply.getHeader("content-type")))
  );
}
