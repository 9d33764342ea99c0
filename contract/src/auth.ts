/** Sign-up, sign-in, sessions and passwords of the web app. */
import { type Static, Type } from "typebox";
import { Account } from "./accounts.ts";
import { Moment, OneOf, Uuid } from "./shape.ts";

export const MIN_PASSWORD_LENGTH = 10;
const Email = Type.String({ minLength: 3, maxLength: 254, description: "Email address of the account." });
const Password = Type.String({ maxLength: 200 });
const NewPassword = Type.String({ minLength: MIN_PASSWORD_LENGTH, maxLength: 200 });
const Token = Type.String({ minLength: 1, maxLength: 200, description: "Token from the emailed link." });

export const SignUpRequest = Type.Object(
  { email: Email, password: NewPassword },
  { additionalProperties: false },
);
export type SignUpRequest = Static<typeof SignUpRequest>;

export const SignInRequest = Type.Object(
  { email: Email, password: Password },
  { additionalProperties: false },
);
export type SignInRequest = Static<typeof SignInRequest>;

/** The same whether or not the account exists. */
export const MailSent = Type.Object({ status: OneOf(["mail_sent"]) });
export type MailSent = Static<typeof MailSent>;

export const ConfirmEmailRequest = Type.Object({ token: Token }, { additionalProperties: false });
export type ConfirmEmailRequest = Static<typeof ConfirmEmailRequest>;

export const ChangePasswordRequest = Type.Object(
  { current_password: Password, new_password: NewPassword },
  { additionalProperties: false },
);
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>;

export const ResetPasswordRequest = Type.Object({ email: Email }, { additionalProperties: false });
export type ResetPasswordRequest = Static<typeof ResetPasswordRequest>;

export const ChooseNewPasswordRequest = Type.Object(
  { token: Token, new_password: NewPassword },
  { additionalProperties: false },
);
export type ChooseNewPasswordRequest = Static<typeof ChooseNewPasswordRequest>;

export const SignedIn = Type.Object({
  account: Account,
  session_id: Uuid("ID of the session."),
  expires_at: Moment("When the session expires."),
});
export type SignedIn = Static<typeof SignedIn>;

export const Session = Type.Object({
  id: Uuid("ID of the session. Not the secret."),
  user_agent: Type.String({ description: "User agent of the browser, truncated." }),
  ip: Type.String({ description: "IP address at sign-in." }),
  created_at: Moment("When the session was created."),
  last_seen_at: Moment("Last activity, to a few minutes."),
  expires_at: Moment("When the session expires."),
  is_current: Type.Boolean({ description: "Whether this is the session of the request." }),
});
export type Session = Static<typeof Session>;
