/** Sign-up, sign-in, sessions and passwords of the web app. */
import { type Static, Type } from "typebox";
import { Account } from "./accounts.ts";
import { Moment, OneOf, Uuid } from "./shape.ts";

export const MIN_PASSWORD_LENGTH = 10;
const Email = Type.String({ minLength: 3, maxLength: 254, description: "Email of the account." });
const Code = Type.String({
  minLength: 6,
  maxLength: 40,
  description: "Code of the authenticator app, or a recovery code. Each works once.",
});
const Password = Type.String({ maxLength: 200 });
const NewPassword = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: 200,
  description: "New password. Common passwords, the email, and one repeated character are refused.",
});
const RevokeKeys = Type.Optional(
  Type.Boolean({ default: false, description: "Also revoke all API keys of the account." }),
);
const Token = Type.String({ minLength: 1, maxLength: 200, description: "Token from the link in the email." });

export const SignUpRequest = Type.Object(
  { email: Email, password: NewPassword },
  { additionalProperties: false },
);
export type SignUpRequest = Static<typeof SignUpRequest>;

export const SignInRequest = Type.Object(
  { email: Email, password: Password, code: Type.Optional(Code) },
  { additionalProperties: false },
);
export type SignInRequest = Static<typeof SignInRequest>;

/** An email was sent if the account exists. The response does not reveal whether it does. */
export const MailSent = Type.Object({ status: OneOf(["mail_sent"]) });
export type MailSent = Static<typeof MailSent>;

export const ConfirmEmailRequest = Type.Object({ token: Token }, { additionalProperties: false });
export type ConfirmEmailRequest = Static<typeof ConfirmEmailRequest>;

export const ChangePasswordRequest = Type.Object(
  { current_password: Password, new_password: NewPassword, revoke_keys: RevokeKeys },
  { additionalProperties: false },
);
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>;

export const ResetPasswordRequest = Type.Object({ email: Email }, { additionalProperties: false });
export type ResetPasswordRequest = Static<typeof ResetPasswordRequest>;

export const ChooseNewPasswordRequest = Type.Object(
  { token: Token, new_password: NewPassword, revoke_keys: RevokeKeys },
  { additionalProperties: false },
);
export type ChooseNewPasswordRequest = Static<typeof ChooseNewPasswordRequest>;

export const TwoFactorStatus = Type.Object({
  enabled: Type.Boolean({ description: "Whether sign-in asks for a code." }),
  required: Type.Boolean({ description: "Whether the installation requires it of this account." }),
  recovery_codes_left: Type.Integer({ minimum: 0, description: "Unused recovery codes." }),
});
export type TwoFactorStatus = Static<typeof TwoFactorStatus>;

export const BeginTwoFactorRequest = Type.Object({ password: Password }, { additionalProperties: false });
export type BeginTwoFactorRequest = Static<typeof BeginTwoFactorRequest>;

/** Shown once. */
export const TwoFactorSecret = Type.Object({
  secret: Type.String({ description: "Secret for the authenticator app, in base32." }),
  uri: Type.String({ description: "The same as an otpauth:// URI, for a QR code." }),
});
export type TwoFactorSecret = Static<typeof TwoFactorSecret>;

export const ConfirmTwoFactorRequest = Type.Object({ code: Code }, { additionalProperties: false });
export type ConfirmTwoFactorRequest = Static<typeof ConfirmTwoFactorRequest>;

/** Shown once. */
export const RecoveryCodes = Type.Object({
  recovery_codes: Type.Array(Type.String(), { description: "Each signs in once in place of a code." }),
});
export type RecoveryCodes = Static<typeof RecoveryCodes>;

export const DisableTwoFactorRequest = Type.Object(
  { password: Password, code: Code },
  { additionalProperties: false },
);
export type DisableTwoFactorRequest = Static<typeof DisableTwoFactorRequest>;

const Proof = { password: Password, code: Type.Optional(Code) };

/** Asked again before an account is exported or closed. */
export const AccountProof = Type.Object(Proof, { additionalProperties: false });
export type AccountProof = Static<typeof AccountProof>;

export const AccountExport = Type.Object({
  token: Type.String({ description: "Parameter of the download, for five minutes and this account only." }),
  expires_at: Moment("Until then a download can be started."),
});
export type AccountExport = Static<typeof AccountExport>;

export const AccountExportQuery = Type.Object({ token: Token }, { additionalProperties: false });
export type AccountExportQuery = Static<typeof AccountExportQuery>;

/** The current session and its account. */
export const SignedIn = Type.Object({
  account: Account,
  session_id: Uuid("ID of this session in the list of sessions."),
  expires_at: Moment("Latest expiry time."),
});
export type SignedIn = Static<typeof SignedIn>;

export const Session = Type.Object({
  id: Uuid("ID of the session; not the secret."),
  user_agent: Type.String({ description: "User-Agent of the browser, truncated." }),
  ip: Type.String({ description: "IP address at sign-in." }),
  created_at: Moment("Sign-in time."),
  last_seen_at: Moment("Time of last use, to a few minutes."),
  expires_at: Moment("Latest expiry time."),
  is_current: Type.Boolean({ description: "Whether this is the session of the request." }),
});
export type Session = Static<typeof Session>;
