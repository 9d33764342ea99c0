/** Signing up, in and out, and the password: what the web app's session rests on. */
import { type Static, Type } from "typebox";
import { Account } from "./accounts.ts";
import { Moment, OneOf, Uuid } from "./shape.ts";

export const MIN_PASSWORD_LENGTH = 10;
const Email = Type.String({ minLength: 3, maxLength: 254, description: "The account's address." });
const Password = Type.String({ maxLength: 200 });
const NewPassword = Type.String({ minLength: MIN_PASSWORD_LENGTH, maxLength: 200 });
const Token = Type.String({ minLength: 1, maxLength: 200, description: "From the link in the mail." });

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

/** The mail that went out, if there is such an account; the answer is the same if there is not. */
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

/** Somebody is signed in. */
export const SignedIn = Type.Object({
  account: Account,
  session_id: Uuid("This session, as in the list of sessions."),
  expires_at: Moment("When it ends at the latest."),
});
export type SignedIn = Static<typeof SignedIn>;

export const Session = Type.Object({
  id: Uuid("Identifies the session; it is not the secret."),
  user_agent: Type.String({ description: "What the browser called itself, cut." }),
  ip: Type.String({ description: "Where it was opened from." }),
  created_at: Moment("When it was opened."),
  last_seen_at: Moment("To a few minutes."),
  expires_at: Moment("When it ends at the latest."),
  is_current: Type.Boolean({ description: "The one that asks." }),
});
export type Session = Static<typeof Session>;
