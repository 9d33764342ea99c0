/** Sign-up, sign-in, sessions and passwords. For browsers, which store the session cookie. */
import type {
  AccountExport,
  MailSent,
  OwnerProof,
  Passkey,
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  RecoveryCodes,
  Session,
  SignedIn,
  TwoFactorSecret,
  TwoFactorStatus,
} from "@mailvet/contract";
import type { Requests } from "./requests.ts";
import type { CallOptions, OpenStream } from "./transport.ts";

export type AuthMethods = {
  /** Signs in at once, or sends a confirmation email; the response has an `account` if signed in. */
  signUp(credentials: Credentials, options?: CallOptions): Promise<SignedIn | MailSent>;
  /** Takes the token from the link in the email. */
  confirmEmail(token: string, options?: CallOptions): Promise<SignedIn>;
  /** Takes the token from the link that was sent to the new address. Opens no session. */
  confirmNewEmail(token: string, options?: CallOptions): Promise<void>;
  /** Throws the problem two_factor_required when the account has two-factor sign-in and the code is missing or wrong. */
  signIn(credentials: Credentials & { code?: string }, options?: CallOptions): Promise<SignedIn>;
  signOut(options?: CallOptions): Promise<void>;
  /** The current session; throws the problem not_signed_in without one. */
  session(options?: CallOptions): Promise<SignedIn>;
  /** All active sessions of the account. */
  sessions(options?: CallOptions): Promise<Session[]>;
  endSession(sessionId: string, options?: CallOptions): Promise<void>;
  /** Also ends all other sessions of the account. */
  changePassword(
    passwords: { currentPassword: string; newPassword: string; revokeKeys?: boolean },
    options?: CallOptions,
  ): Promise<void>;
  twoFactor(options?: CallOptions): Promise<TwoFactorStatus>;
  /** A new secret for an authenticator app, shown once; without effect until it is confirmed. */
  beginTwoFactor(password: string, options?: CallOptions): Promise<TwoFactorSecret>;
  /** Enables two-factor sign-in. The recovery codes are shown once. */
  confirmTwoFactor(code: string, options?: CallOptions): Promise<RecoveryCodes>;
  /** New recovery codes, shown once. The previous ones no longer work. */
  replaceRecoveryCodes(
    proof: { password: string; code: string },
    options?: CallOptions,
  ): Promise<RecoveryCodes>;
  disableTwoFactor(proof: { password: string; code: string }, options?: CallOptions): Promise<void>;
  /** A token for the download of everything the account has. */
  beginExport(proof: Proof, options?: CallOptions): Promise<AccountExport>;
  /** A ZIP file, once it is written. A browser can also open /api/v1/account/export?token=… */
  downloadExport(token: string, options?: CallOptions): Promise<Response>;
  /** Deletes the account with everything it has. */
  closeAccount(proof: Proof, options?: CallOptions): Promise<void>;
  /** Options for navigator.credentials.get(). The challenge works once, to sign in or as proof of the owner. */
  passkeyChallenge(options?: CallOptions): Promise<PasskeyRequestOptions>;
  /** Takes the JSON of what navigator.credentials.get() returned. */
  signInWithPasskey(credential: PasskeyAssertion, options?: CallOptions): Promise<SignedIn>;
  passkeys(options?: CallOptions): Promise<Passkey[]>;
  /** Options for navigator.credentials.create(), with the password or an assertion of an existing passkey. */
  beginPasskey(proof: OwnerProof, options?: CallOptions): Promise<PasskeyCreationOptions>;
  /** Takes the JSON of what navigator.credentials.create() returned. */
  addPasskey(
    passkey: { name: string; credential: PasskeyAttestation },
    options?: CallOptions,
  ): Promise<Passkey>;
  renamePasskey(passkeyId: string, name: string, options?: CallOptions): Promise<Passkey>;
  /** Also ends all other sessions of the account. */
  removePasskey(passkeyId: string, proof: OwnerProof, options?: CallOptions): Promise<void>;
  /** Sends an email with a link if the account exists; the response does not reveal whether it does. */
  requestPasswordReset(email: string, options?: CallOptions): Promise<MailSent>;
  /** Takes the token from the link in the email. */
  choosePassword(
    choice: { token: string; newPassword: string; revokeKeys?: boolean; removePasskeys?: boolean },
    options?: CallOptions,
  ): Promise<void>;
};

/** The password, and the code where two-factor sign-in is enabled. */
export type Proof = { password: string; code?: string | undefined };

export type Credentials = { email: string; password: string };

export function authMethods(
  { get, postUnkeyed: post, patch, delete: remove }: Requests,
  open: OpenStream,
): AuthMethods {
  const proven =
    <T>(path: string) =>
    ({ password, code }: Proof, options?: CallOptions) =>
      post<T>(path, { password, code }, options);
  return {
    signUp: ({ email, password }, options) => post("/auth/sign-up", { email, password }, options),
    confirmEmail: (token, options) => post("/auth/confirm-email", { token }, options),
    confirmNewEmail: (token, options) => post("/auth/confirm-new-email", { token }, options),
    signIn: ({ email, password, code }, options) => post("/auth/sign-in", { email, password, code }, options),
    signOut: (options) => post("/auth/sign-out", undefined, options),
    session: (options) => get("/auth/session", options),
    sessions: (options) => get("/auth/sessions", options),
    endSession: (sessionId, options) => remove(`/auth/sessions/${encodeURIComponent(sessionId)}`, options),
    changePassword: ({ currentPassword, newPassword, revokeKeys }, options) =>
      post(
        "/auth/password",
        { current_password: currentPassword, new_password: newPassword, revoke_keys: revokeKeys },
        options,
      ),
    twoFactor: (options) => get("/auth/two-factor", options),
    beginTwoFactor: (password, options) => post("/auth/two-factor", { password }, options),
    confirmTwoFactor: (code, options) => post("/auth/two-factor/confirm", { code }, options),
    replaceRecoveryCodes: proven("/auth/two-factor/recovery-codes"),
    disableTwoFactor: proven("/auth/two-factor/disable"),
    beginExport: proven("/account/export"),
    downloadExport: (token, options) =>
      open({
        method: "GET",
        path: "/account/export",
        query: { token },
        accept: "application/zip",
        ...options,
      }),
    closeAccount: proven("/account/close"),
    passkeyChallenge: (options) => post("/auth/passkeys/challenge", undefined, options),
    signInWithPasskey: (credential, options) => post("/auth/passkeys/sign-in", { credential }, options),
    passkeys: (options) => get("/auth/passkeys", options),
    beginPasskey: ({ password, credential }, options) =>
      post("/auth/passkeys/options", { password, credential }, options),
    addPasskey: ({ name, credential }, options) => post("/auth/passkeys", { name, credential }, options),
    renamePasskey: (passkeyId, name, options) =>
      patch(`/auth/passkeys/${encodeURIComponent(passkeyId)}`, { name }, options),
    removePasskey: (passkeyId, { password, credential }, options) =>
      post(`/auth/passkeys/${encodeURIComponent(passkeyId)}/remove`, { password, credential }, options),
    requestPasswordReset: (email, options) => post("/auth/password-reset", { email }, options),
    choosePassword: ({ token, newPassword, revokeKeys, removePasskeys }, options) =>
      post(
        "/auth/password-reset/confirm",
        { token, new_password: newPassword, revoke_keys: revokeKeys, remove_passkeys: removePasskeys },
        options,
      ),
  };
}
