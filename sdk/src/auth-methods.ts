/** Sign-up, sign-in, sessions and passwords. For browsers, which store the session cookie. */
import type { MailSent, Session, SignedIn } from "@mailvet/contract";
import type { Requests } from "./requests.ts";
import type { CallOptions } from "./transport.ts";

export type AuthMethods = {
  /** Signs in at once, or sends a confirmation email; the response has an `account` if signed in. */
  signUp(credentials: Credentials, options?: CallOptions): Promise<SignedIn | MailSent>;
  /** Takes the token from the link in the email. */
  confirmEmail(token: string, options?: CallOptions): Promise<SignedIn>;
  signIn(credentials: Credentials, options?: CallOptions): Promise<SignedIn>;
  signOut(options?: CallOptions): Promise<void>;
  /** The current session; throws the problem not_signed_in without one. */
  session(options?: CallOptions): Promise<SignedIn>;
  /** All active sessions of the account. */
  sessions(options?: CallOptions): Promise<Session[]>;
  endSession(sessionId: string, options?: CallOptions): Promise<void>;
  /** Also ends all other sessions of the account. */
  changePassword(
    passwords: { currentPassword: string; newPassword: string },
    options?: CallOptions,
  ): Promise<void>;
  /** Sends an email with a link if the account exists; the response does not reveal whether it does. */
  requestPasswordReset(email: string, options?: CallOptions): Promise<MailSent>;
  /** Takes the token from the link in the email. */
  choosePassword(choice: { token: string; newPassword: string }, options?: CallOptions): Promise<void>;
};

export type Credentials = { email: string; password: string };

export function authMethods({ get, postUnkeyed: post, delete: remove }: Requests): AuthMethods {
  return {
    signUp: ({ email, password }, options) => post("/auth/sign-up", { email, password }, options),
    confirmEmail: (token, options) => post("/auth/confirm-email", { token }, options),
    signIn: ({ email, password }, options) => post("/auth/sign-in", { email, password }, options),
    signOut: (options) => post("/auth/sign-out", undefined, options),
    session: (options) => get("/auth/session", options),
    sessions: (options) => get("/auth/sessions", options),
    endSession: (sessionId, options) => remove(`/auth/sessions/${encodeURIComponent(sessionId)}`, options),
    changePassword({ currentPassword, newPassword }, options) {
      const body = { current_password: currentPassword, new_password: newPassword };
      return post("/auth/password", body, options);
    },
    requestPasswordReset: (email, options) => post("/auth/password-reset", { email }, options),
    choosePassword: ({ token, newPassword }, options) =>
      post("/auth/password-reset/confirm", { token, new_password: newPassword }, options),
  };
}
