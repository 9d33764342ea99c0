/** Sign-up, sign-in, sessions and passwords of the web app. */
import { type Static, Type } from "typebox";
import { Account } from "./accounts.ts";
import { Moment, Nullable, OneOf, Uuid } from "./shape.ts";

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
const RemovePasskeys = Type.Optional(
  Type.Boolean({ default: false, description: "Also remove all passkeys of the account." }),
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
  { token: Token, new_password: NewPassword, revoke_keys: RevokeKeys, remove_passkeys: RemovePasskeys },
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

const BothFactors = { password: Password, code: Code };

export const DisableTwoFactorRequest = Type.Object(BothFactors, { additionalProperties: false });
export type DisableTwoFactorRequest = Static<typeof DisableTwoFactorRequest>;

export const ReplaceRecoveryCodesRequest = Type.Object(BothFactors, {
  additionalProperties: false,
  description: "Both factors, for new recovery codes.", // or it would have the name of the one above in the OpenAPI document
});
export type ReplaceRecoveryCodesRequest = Static<typeof ReplaceRecoveryCodesRequest>;

const Proof = { password: Password, code: Type.Optional(Code) };

/** Asked again before an account is exported or closed. */
export const AccountProof = Type.Object(Proof, { additionalProperties: false });
export type AccountProof = Static<typeof AccountProof>;

export const AccountExport = Type.Object({
  token: Type.String({ description: "Parameter of the download, for a day and this account only." }),
  expires_at: Moment("Until then a download can be started."),
});
export type AccountExport = Static<typeof AccountExport>;

export const ExportProgress = Type.Object({
  state: OneOf(["preparing"], { description: "The file is being written." }),
  size_bytes: Type.Integer({ minimum: 0, description: "Written so far." }),
  created_at: Moment("When the export was begun."),
});
export type ExportProgress = Static<typeof ExportProgress>;

export const AccountExportQuery = Type.Object({ token: Token }, { additionalProperties: false });
export type AccountExportQuery = Static<typeof AccountExportQuery>;

/** Binary values of WebAuthn in JSON. All of a request together are below the limit of a body. */
const Base64Url = (maxLength: number, description: string) =>
  Type.String({ pattern: "^[A-Za-z0-9_-]+$", maxLength, description });
const CredentialId = Base64Url(1364, "ID of the credential, in base64url.");
const ClientData = Base64Url(4096, "What the browser collected, in base64url.");
const PUBLIC_KEY = OneOf(["public-key"]);

/** For navigator.credentials.get() (`PublicKeyCredential.parseRequestOptionsFromJSON`). */
export const PasskeyRequestOptions = Type.Object(
  {
    challenge: Type.String({ description: "Works once, within five minutes." }),
    rpId: Type.String({ description: "Domain of the web app." }),
    timeout: Type.Integer({ minimum: 0, description: "Milliseconds." }),
    userVerification: OneOf(["required"]),
  },
  { description: "PublicKeyCredentialRequestOptionsJSON of WebAuthn Level 3." },
);
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>;

/** What navigator.credentials.get() returned. */
export const PasskeyAssertion = Type.Object(
  {
    id: CredentialId,
    rawId: CredentialId,
    type: PUBLIC_KEY,
    response: Type.Object({
      clientDataJSON: ClientData,
      authenticatorData: Base64Url(4096, "Authenticator data, in base64url."),
      signature: Base64Url(4096, "Signature, in base64url."),
      userHandle: Type.Optional(Nullable(Base64Url(88, "The account, in base64url."))),
    }),
  },
  { description: "AuthenticationResponseJSON of WebAuthn Level 3. Other members are ignored." },
);
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;

export const PasskeySignInRequest = Type.Object(
  { credential: PasskeyAssertion },
  { additionalProperties: false },
);
export type PasskeySignInRequest = Static<typeof PasskeySignInRequest>;

/** One of the two. */
export const OwnerProof = Type.Object(
  {
    password: Type.Optional(Type.String({ maxLength: 200, description: "Password of the account." })),
    credential: Type.Optional(PasskeyAssertion),
  },
  { additionalProperties: false, description: "The password, or an assertion of a passkey of the account." },
);
export type OwnerProof = Static<typeof OwnerProof>;

/** For navigator.credentials.create() (`PublicKeyCredential.parseCreationOptionsFromJSON`). */
export const PasskeyCreationOptions = Type.Object(
  {
    challenge: Type.String({ description: "Works once, within five minutes." }),
    rp: Type.Object({ id: Type.String({ description: "Domain of the web app." }), name: Type.String() }),
    user: Type.Object({
      id: Type.String({ description: "The account, in base64url." }),
      name: Type.String({ description: "Email of the account." }),
      displayName: Type.String(),
    }),
    pubKeyCredParams: Type.Array(Type.Object({ type: PUBLIC_KEY, alg: Type.Integer() })),
    timeout: Type.Integer({ minimum: 0, description: "Milliseconds." }),
    excludeCredentials: Type.Array(Type.Object({ type: PUBLIC_KEY, id: Type.String() }), {
      description: "Passkeys that the account has already.",
    }),
    authenticatorSelection: Type.Object({
      residentKey: OneOf(["required"]),
      requireResidentKey: Type.Boolean(),
      userVerification: OneOf(["required"]),
    }),
    attestation: OneOf(["none"]),
  },
  { description: "PublicKeyCredentialCreationOptionsJSON of WebAuthn Level 3." },
);
export type PasskeyCreationOptions = Static<typeof PasskeyCreationOptions>;

/** What navigator.credentials.create() returned. */
export const PasskeyAttestation = Type.Object(
  {
    id: CredentialId,
    rawId: CredentialId,
    type: PUBLIC_KEY,
    response: Type.Object({
      clientDataJSON: ClientData,
      attestationObject: Base64Url(8192, "Public key and authenticator data, in base64url."),
    }),
  },
  { description: "RegistrationResponseJSON of WebAuthn Level 3. Other members are ignored." },
);
export type PasskeyAttestation = Static<typeof PasskeyAttestation>;

const PasskeyName = Type.String({ minLength: 1, maxLength: 100 });

export const AddPasskeyRequest = Type.Object(
  { name: PasskeyName, credential: PasskeyAttestation },
  { additionalProperties: false },
);
export type AddPasskeyRequest = Static<typeof AddPasskeyRequest>;

export const RenamePasskeyRequest = Type.Object({ name: PasskeyName }, { additionalProperties: false });
export type RenamePasskeyRequest = Static<typeof RenamePasskeyRequest>;

export const Passkey = Type.Object({
  id: Uuid("ID of the passkey."),
  name: Type.String(),
  created_at: Moment("Creation time."),
  last_used_at: Nullable(Moment("Time of last use.")),
});
export type Passkey = Static<typeof Passkey>;

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
