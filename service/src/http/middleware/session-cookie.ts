/**
 * The session cookie. Over https it is bound to the host (`__Host-`); over plain http, for localhost, browsers would
 * reject a Secure cookie.
 *
 * The token needs no escaping and there is no other cookie, so the few relevant rules of RFC 6265 are implemented here.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

export type SessionCookie = {
  name: string;
  read(request: Pick<FastifyRequest, "headers">): string | undefined;
  set(reply: FastifyReply, session: { token: string; expiresAt: Date }): void;
  clear(reply: FastifyReply): void;
};

export function createSessionCookie(publicUrl: string | undefined): SessionCookie {
  const isSecure = publicUrl !== undefined && new URL(publicUrl).protocol === "https:";
  const name = isSecure ? "__Host-mailvet" : "mailvet";
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return {
    name,
    read: ({ headers: { cookie = "" } }) =>
      cookie
        .split("; ")
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    set(reply, { token, expiresAt }) {
      reply.header("set-cookie", `${name}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes}`);
    },
    clear(reply) {
      reply.header("set-cookie", `${name}=; Max-Age=0; ${attributes}`);
    },
  };
}
