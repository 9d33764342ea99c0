/** /auth: sign-up, sign-in, sign-out, sessions and passwords of the web app. Second factors are in second-factor-routes.ts. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  ChangePasswordRequest,
  ChooseNewPasswordRequest,
  ConfirmEmailRequest,
  MailSent,
  ResetPasswordRequest,
  Session,
  SignedIn,
  SignInRequest,
  SignUpRequest,
} from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import type { SessionClient } from "../../accounts/known-clients.ts";
import type { PresentAccount } from "../../accounts/present-account.ts";
import type { KnownSession, SessionRecord, Sessions, SignedInSession } from "../../accounts/sessions.ts";
import { Refusal } from "../../base/refusal.ts";
import { requireSameOrigin } from "../middleware/same-origin.ts";
import { actorOf } from "../request-actor.ts";
import "../route-config.ts";
import type { SessionCookie } from "../middleware/session-cookie.ts";
import { secondFactorRoutes, signedInCaller } from "./second-factor-routes.ts";

export type AuthRouteDeps = {
  accounts: Accounts;
  sessions: Sessions;
  cookie: SessionCookie;
  publicUrl: string | undefined;
  presentAccount: PresentAccount;
};

export const authRoutes =
  ({ accounts, sessions, cookie, publicUrl, presentAccount }: AuthRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    // The open routes set the cookie, so the origin is checked for them too.
    app.addHook("onRequest", async (request) => requireSameOrigin(request, publicUrl));

    /** Replaces the browser's previous session, if any. */
    const startSession = async (request: FastifyRequest, reply: FastifyReply, session: SignedInSession) => {
      const previous = cookie.read(request);
      if (previous) await sessions.endByToken(previous, request.ip);
      cookie.set(reply, session);
      cookie.setDevice(reply, session.deviceToken);
      return signedIn(request, session);
    };

    const clientOf = (request: FastifyRequest): SessionClient => ({
      ip: request.ip,
      userAgent: request.headers["user-agent"] ?? "",
      deviceToken: cookie.readDevice(request),
    });

    const signedIn = async (request: FastifyRequest, session: SignedInSession | KnownSession) => {
      const account = await accounts.find(session.accountId);
      request.creditsRemaining = account.balance;
      return {
        account: presentAccount(account, request.caller?.isTest),
        session_id: session.sessionId,
        expires_at: session.expiresAt.toISOString(),
      };
    };

    app.post(
      "/auth/sign-up",
      {
        schema: SIGN_UP,
        config: {
          access: "open",
          problems: ["sign_up_closed", "email_taken", "account_suspended", "origin_rejected"],
        },
      },
      async (request, reply) => {
        const { email, password } = request.body;
        const session = await accounts.signUp(email, password, clientOf(request));
        if (!session) return reply.code(202).send({ status: "mail_sent" });
        return reply.code(201).send(await startSession(request, reply, session));
      },
    );

    app.post(
      "/auth/confirm-email",
      {
        schema: CONFIRM_EMAIL,
        config: { access: "open", problems: ["link_expired", "account_suspended", "origin_rejected"] },
      },
      async (request, reply) =>
        startSession(request, reply, await accounts.confirmEmail(request.body.token, clientOf(request))),
    );

    app.post(
      "/auth/confirm-new-email",
      {
        schema: CONFIRM_NEW_EMAIL,
        config: { access: "open", problems: ["link_expired", "email_taken", "origin_rejected"] },
      },
      async (request, reply) => {
        await accounts.confirmNewEmail(request.body.token, { ip: request.ip });
        return reply.code(204).send(null);
      },
    );

    app.post(
      "/auth/sign-in",
      {
        schema: SIGN_IN,
        config: {
          access: "open",
          problems: ["wrong_credentials", "two_factor_required", "account_suspended", "origin_rejected"],
        },
      },
      async (request, reply) => {
        const { email, password, code } = request.body;
        return startSession(request, reply, await accounts.signIn(email, password, clientOf(request), code));
      },
    );

    app.post(
      "/auth/sign-out",
      { schema: SIGN_OUT, config: { access: "open", problems: ["origin_rejected"] } },
      async (request, reply) => {
        const token = cookie.read(request);
        if (token) await sessions.endByToken(token, request.ip);
        cookie.clear(reply);
        return reply.code(204).send(null);
      },
    );

    app.get("/auth/session", { schema: GET_SESSION, config: { access: "session" } }, async (request) => {
      const session = await sessions.find(cookie.read(request) ?? "");
      if (!session) throw new Refusal("not_signed_in", "The session has ended.");
      return signedIn(request, session);
    });

    app.get("/auth/sessions", { schema: LIST_SESSIONS, config: { access: "session" } }, async (request) => {
      const { accountId, sessionId } = signedInCaller(request);
      const found = await sessions.list(accountId);
      return found.map((session) => presentSession(session, sessionId));
    });

    app.delete(
      "/auth/sessions/:session_id",
      { schema: END_SESSION, config: { access: "session", problems: ["session_not_found"] } },
      async (request, reply) => {
        const { accountId, sessionId } = signedInCaller(request);
        await sessions.end(accountId, request.params.session_id, actorOf(request));
        if (request.params.session_id === sessionId) cookie.clear(reply);
        return reply.code(204).send(null);
      },
    );

    app.post(
      "/auth/password",
      {
        schema: CHANGE_PASSWORD,
        // A replayed response could not renew the cookie.
        config: { access: "session", problems: ["wrong_credentials"], idempotency: false },
      },
      async (request, reply) => {
        const {
          current_password: current,
          new_password: next,
          revoke_keys: revokeKeys = false,
        } = request.body;
        const passwords = { current, next, revokeKeys };
        cookie.set(reply, await accounts.changePassword(signedInCaller(request), passwords));
        return reply.code(204).send(null);
      },
    );

    app.post(
      "/auth/password-reset",
      { schema: REQUEST_PASSWORD_RESET, config: { access: "open", problems: ["origin_rejected"] } },
      async (request, reply) => {
        await accounts.requestReset(request.body.email, clientOf(request));
        return reply.code(202).send({ status: "mail_sent" });
      },
    );

    app.post(
      "/auth/password-reset/confirm",
      {
        schema: CHOOSE_PASSWORD,
        config: {
          access: "open",
          problems: ["link_expired", "account_suspended", "last_second_factor", "origin_rejected"],
        },
      },
      async (request, reply) => {
        const { token, new_password: password, revoke_keys, remove_passkeys } = request.body;
        await accounts.chooseNewPassword(token, password, clientOf(request), {
          revokeKeys: revoke_keys === true,
          removePasskeys: remove_passkeys === true,
        });
        return reply.code(204).send(null);
      },
    );

    await app.register(secondFactorRoutes({ accounts, publicUrl, clientOf, startSession }));
  };

const tags = ["auth"];
const Done = Type.Null({ description: "Success." });

const SIGN_UP = {
  operationId: "signUp",
  tags,
  summary: "Sign up",
  description:
    "Creates an account. Returns 201 and a session if email is not configured. Otherwise returns 202 and sends a confirmation link; the response is the same if the account already exists. Where accounts need approval, it is `account_suspended` until the operator has approved it: here without email, otherwise when the link is used.",
  body: SignUpRequest,
  response: { 201: SignedIn, 202: MailSent },
};

const CONFIRM_EMAIL = {
  operationId: "confirmEmail",
  tags,
  summary: "Confirm an email address",
  description:
    "Confirms the account with the token from the emailed link and signs in. The token works once.",
  body: ConfirmEmailRequest,
  response: { 200: SignedIn },
};

const CONFIRM_NEW_EMAIL = {
  operationId: "confirmNewEmail",
  tags,
  summary: "Confirm a new email address",
  description:
    "Changes the email of the account to the address that the operator has requested, with the token from the link that was sent to it. The token works once. Opens no session.",
  body: ConfirmEmailRequest,
  response: { 204: Done },
};

const SIGN_IN = {
  operationId: "signIn",
  tags,
  summary: "Sign in",
  description:
    "Creates a session and sets its cookie, and a device cookie. Wrong passwords of others do not lock out a browser or network that has signed in before; after five of its own, `rate_limited` says how long to wait, twice as long each time. With two-factor sign-in, a request without `code` is refused with `two_factor_required`, and nothing else happens: send it again with the code.",
  body: SignInRequest,
  response: { 200: SignedIn },
};

const SIGN_OUT = {
  operationId: "signOut",
  tags,
  summary: "Sign out",
  description: "Ends the current session and clears its cookie. Safe to repeat.",
  response: { 204: Done },
};

const GET_SESSION = {
  operationId: "getSession",
  tags,
  summary: "Retrieve the current session",
  description: "Returns the account and session of the cookie.",
  response: { 200: SignedIn },
};

const LIST_SESSIONS = {
  operationId: "listSessions",
  tags,
  summary: "List sessions",
  description: "Returns the active sessions of the account, most recently used first.",
  response: { 200: Type.Array(Session) },
};

const END_SESSION = {
  operationId: "endSession",
  tags,
  summary: "End a session",
  description: "Ends a session of the account, which signs that browser out.",
  params: Type.Object({
    session_id: Type.String({ format: "uuid", description: "ID of the session." }),
  }),
  response: { 204: Done },
};

const CHANGE_PASSWORD = {
  operationId: "changePassword",
  tags,
  summary: "Change your password",
  description:
    "Changes the password, ends all other sessions and renews the cookie of this one. API keys are revoked on request.",
  body: ChangePasswordRequest,
  response: { 204: Done },
};

const REQUEST_PASSWORD_RESET = {
  operationId: "requestPasswordReset",
  tags,
  summary: "Request a password reset",
  description:
    "Emails a link that works once and expires after 30 minutes. The response is the same if the account does not exist.",
  body: ResetPasswordRequest,
  response: { 202: MailSent },
};

const CHOOSE_PASSWORD = {
  operationId: "choosePassword",
  tags,
  summary: "Reset a password",
  description:
    "Sets a new password with the token of the reset link or the invitation, and ends all sessions of the account. API keys are revoked, and passkeys removed, on request.",
  body: ChooseNewPasswordRequest,
  response: { 204: Done },
};

function presentSession(session: SessionRecord, currentId: string): Session {
  return {
    id: session.id,
    user_agent: session.userAgent,
    ip: session.ip,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    is_current: session.id === currentId,
  };
}
