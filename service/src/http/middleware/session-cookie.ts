/**
 * The session cookie, and the device cookie by which a browser is recognised after the session. Over https it is bound to the host (`__Host-`); over plain http, for localhost, browsers would
 * reject a Secure cookie.
 *
 * The tokens need no escaping, nor does the one other cookie (language.ts), so the few relevant rules of RFC 6265 are implemented here.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

import { KNOWN_FOR_MS } from "../../accounts/known-clients.ts";

export type SessionCookie = {
  name: string;
  read(request: Pick<FastifyRequest, "headers">): string | undefined;
  set(reply: FastifyReply, session: { token: string; expiresAt: Date }): void;
  clear(reply: FastifyReply): void;
  readDevice(request: Pick<FastifyRequest, "headers">): string | undefined;
  setDevice(reply: FastifyReply, deviceToken: string): void;
};

export function createSessionCookie(publicUrl: string | undefined): SessionCookie {
  const isSecure = publicUrl !== undefined && new URL(publicUrl).protocol === "https:";
  const name = isSecure ? "__Host-mailvet" : "mailvet";
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const deviceName = `${name}-device`;
  return {
    name,
    read: (request) => cookieValue(request, name),
    readDevice: (request) => cookieValue(request, deviceName),
    setDevice(reply, deviceToken) {
      reply.header(
        "set-cookie",
        `${deviceName}=${deviceToken}; Max-Age=${KNOWN_FOR_MS / 1000}; ${attributes}`,
      );
    },
    set(reply, { token, expiresAt }) {
      reply.header("set-cookie", `${name}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes}`);
    },
    clear(reply) {
      reply.header("set-cookie", `${name}=; Max-Age=0; ${attributes}`);
    },
  };
}

export function cookieValue({ headers: { cookie = "" } }: Pick<FastifyRequest, "headers">, name: string) {
  return cookie
    .split("; ")
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
