/**
 * Language of a response with texts for people: that of the web app, which a cookie remembers, or else the best match of
 * Accept-Language (RFC 9110, section 12.5.4). English when none fits.
 */
import { LANGUAGE_COOKIE, LANGUAGES, type Language } from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import { cookieValue } from "./session-cookie.ts";

export function languageOf(request: Pick<FastifyRequest, "headers">): Language {
  const chosen = cookieValue(request, LANGUAGE_COOKIE);
  const language = LANGUAGES.find((known) => known === chosen);
  if (language) return language;
  const { "accept-language": accepted } = request.headers;
  if (accepted === undefined || accepted === "*") return LANGUAGES[0]; // most programs
  return (new Negotiator(request).language([...LANGUAGES]) as Language | undefined) ?? LANGUAGES[0];
}

/** The language of this response, named in its headers. */
export function answerIn(request: FastifyRequest, reply: FastifyReply): Language {
  const language = languageOf(request);
  reply.headers({ "content-language": language, vary: "Accept-Language, Cookie" });
  return language;
}
