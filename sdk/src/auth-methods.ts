/** Signing up, in and out, and the password. For the browser, which keeps the session's cookie. */
import type { MailSent, Session, SignedIn } from "@mailvet/contract";
import type { CallOptions, Connection } from "./connection.ts";

export type AuthMethods = {
  /** Signed in at once, or a mail with a link is on its way: look whether the answer has an `account`. */
  signUp(who: Credentials, options?: CallOptions): Promise<SignedIn | MailSent>;
  /** With the token of the link in the mail. */
  confirmEmail(token: string, options?: CallOptions): Promise<SignedIn>;
  signIn(who: Credentials, options?: CallOptions): Promise<SignedIn>;
  signOut(options?: CallOptions): Promise<void>;
  /** Who is signed in. A problem with the code not_signed_in when nobody is. */
  session(options?: CallOptions): Promise<SignedIn>;
  /** Everywhere this account is signed in. */
  sessions(options?: CallOptions): Promise<Session[]>;
  endSession(sessionId: string, options?: CallOptions): Promise<void>;
  /** Ends the account's other sessions too. */
  changePassword(
    passwords: { currentPassword: string; newPassword: string },
    options?: CallOptions,
  ): Promise<void>;
  /** Sends a mail with a link, if there is such an account; the answer is the same if there is not. */
  requestPasswordReset(email: string, options?: CallOptions): Promise<MailSent>;
  /** With the token of the link in the mail. */
  choosePassword(choice: { token: string; newPassword: string }, options?: CallOptions): Promise<void>;
};

export type Credentials = { email: string; password: string };

export function authMethods(connection: Connection): AuthMethods {
  const get = async <T>(path: string, options?: CallOptions): Promise<T> =>
    (await connection<T>({ method: "GET", path, ...options })).body;
  const post = async <T>(path: string, body?: object, options?: CallOptions): Promise<T> =>
    (await connection<T>({ method: "POST", path, ...(body ? { body } : {}), ...options })).body;

  return {
    signUp: ({ email, password }, options) => post("/auth/sign-up", { email, password }, options),
    confirmEmail: (token, options) => post("/auth/confirm-email", { token }, options),
    signIn: ({ email, password }, options) => post("/auth/sign-in", { email, password }, options),
    signOut: (options) => post("/auth/sign-out", undefined, options),
    session: (options) => get("/auth/session", options),
    sessions: (options) => get("/auth/sessions", options),
    async endSession(sessionId, options) {
      const path = `/auth/sessions/${encodeURIComponent(sessionId)}`;
      await connection({ method: "DELETE", path, ...options });
    },
    changePassword({ currentPassword, newPassword }, options) {
      const body = { current_password: currentPassword, new_password: newPassword };
      return post("/auth/password", body, options);
    },
    requestPasswordReset: (email, options) => post("/auth/password-reset", { email }, options),
    choosePassword: ({ token, newPassword }, options) =>
      post("/auth/password-reset/confirm", { token, new_password: newPassword }, options),
  };
}
