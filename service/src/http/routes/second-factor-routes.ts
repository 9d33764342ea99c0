/** /auth/two-factor and /auth/passkeys: second factors, and sign-in with a passkey. Part of auth-routes.ts. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  AddPasskeyRequest,
  BeginTwoFactorRequest,
  ConfirmTwoFactorRequest,
  DisableTwoFactorRequest,
  OwnerProof,
  Passkey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  PasskeySignInRequest,
  RecoveryCodes,
  RenamePasskeyRequest,
  ReplaceRecoveryCodesRequest,
  SignedIn,
  TwoFactorSecret,
  TwoFactorStatus,
} from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import type { SessionClient } from "../../accounts/known-clients.ts";
import type { PasskeyRecord } from "../../accounts/second-factors/passkeys.ts";
import { relyingParty } from "../../accounts/second-factors/relying-party.ts";
import type { SignedInBrowser, SignedInSession } from "../../accounts/sessions.ts";
import "../route-config.ts";

export type SecondFactorRouteDeps = {
  accounts: Accounts;
  publicUrl: string | undefined;
  clientOf(request: FastifyRequest): SessionClient;
  /** Sets the cookies of a session that was opened. */
  startSession(request: FastifyRequest, reply: FastifyReply, session: SignedInSession): Promise<SignedIn>;
};

export const secondFactorRoutes =
  ({ accounts, publicUrl, clientOf, startSession }: SecondFactorRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const siteOf = (request: FastifyRequest) => relyingParty(publicUrl, request.headers.host);

    app.get(
      "/auth/two-factor",
      { schema: GET_TWO_FACTOR, config: { access: "session" } },
      async (request) => {
        const status = await accounts.twoFactorStatus(signedInCaller(request).accountId);
        return {
          enabled: status.isEnabled,
          required: status.isRequired,
          recovery_codes_left: status.recoveryCodesLeft,
        };
      },
    );

    app.post(
      "/auth/two-factor",
      {
        schema: BEGIN_TWO_FACTOR,
        // The response has a secret, which must not be stored for a replay.
        config: {
          access: "session",
          problems: ["wrong_credentials", "two_factor_required", "two_factor_enabled"],
          idempotency: false,
        },
      },
      (request) => accounts.beginTwoFactor(signedInCaller(request), request.body.password),
    );

    app.post(
      "/auth/two-factor/confirm",
      {
        schema: CONFIRM_TWO_FACTOR,
        config: { access: "session", problems: ["two_factor_required"], idempotency: false },
      },
      async (request) => ({
        recovery_codes: await accounts.confirmTwoFactor(signedInCaller(request), request.body.code),
      }),
    );

    app.post(
      "/auth/two-factor/recovery-codes",
      {
        schema: REPLACE_RECOVERY_CODES,
        config: {
          access: "session",
          problems: ["wrong_credentials", "two_factor_required"],
          idempotency: false,
        },
      },
      async (request) => {
        const { password, code } = request.body;
        const caller = signedInCaller(request);
        return { recovery_codes: await accounts.replaceRecoveryCodes(caller, password, code) };
      },
    );

    app.post(
      "/auth/two-factor/disable",
      {
        schema: DISABLE_TWO_FACTOR,
        config: {
          access: "session",
          problems: ["wrong_credentials", "two_factor_required", "last_second_factor"],
          idempotency: false,
        },
      },
      async (request, reply) => {
        const { password, code } = request.body;
        await accounts.disableTwoFactor(signedInCaller(request), password, code);
        return reply.code(204).send(null);
      },
    );

    app.post(
      "/auth/passkeys/challenge",
      {
        schema: PASSKEY_CHALLENGE,
        config: { access: "open", problems: ["passkeys_unavailable", "origin_rejected"] },
      },
      (request) => accounts.passkeyChallenge(siteOf(request), clientOf(request)),
    );

    app.post(
      "/auth/passkeys/sign-in",
      {
        schema: SIGN_IN_WITH_PASSKEY,
        config: {
          access: "open",
          problems: ["passkey_rejected", "passkeys_unavailable", "account_suspended", "origin_rejected"],
        },
      },
      async (request, reply) => {
        const { credential } = request.body;
        const session = await accounts.signInWithPasskey(credential, siteOf(request), clientOf(request));
        return startSession(request, reply, session);
      },
    );

    app.get("/auth/passkeys", { schema: LIST_PASSKEYS, config: { access: "session" } }, async (request) => {
      const found = await accounts.listPasskeys(signedInCaller(request).accountId);
      return found.map(presentPasskey);
    });

    app.post(
      "/auth/passkeys/options",
      {
        schema: BEGIN_PASSKEY,
        config: {
          access: "session",
          problems: [...PROOF_PROBLEMS, "passkeys_unavailable", "too_many_passkeys"],
          // The response has a challenge that works once.
          idempotency: false,
        },
      },
      (request) => accounts.beginPasskey(signedInCaller(request), request.body, siteOf(request)),
    );

    app.post(
      "/auth/passkeys",
      {
        schema: ADD_PASSKEY,
        config: {
          access: "session",
          problems: ["passkeys_unavailable", "too_many_passkeys"],
          idempotency: false,
        },
      },
      async (request, reply) => {
        const added = await accounts.addPasskey(signedInCaller(request), request.body, siteOf(request));
        return reply.code(201).send(presentPasskey(added));
      },
    );

    app.patch(
      "/auth/passkeys/:passkey_id",
      { schema: RENAME_PASSKEY, config: { access: "session", problems: ["passkey_not_found"] } },
      async (request) => {
        const { passkey_id: id } = request.params;
        return presentPasskey(await accounts.renamePasskey(signedInCaller(request), id, request.body.name));
      },
    );

    app.post(
      "/auth/passkeys/:passkey_id/remove",
      {
        schema: REMOVE_PASSKEY,
        config: {
          access: "session",
          problems: [...PROOF_PROBLEMS, "passkeys_unavailable", "passkey_not_found", "last_second_factor"],
          idempotency: false,
        },
      },
      async (request, reply) => {
        // The password is enough at an address where passkeys do not work.
        const site = request.body.credential ? siteOf(request) : undefined;
        const { passkey_id: id } = request.params;
        await accounts.removePasskey(signedInCaller(request), id, request.body, site);
        return reply.code(204).send(null);
      },
    );
  };

const tags = ["auth"];
const Done = Type.Null({ description: "Success." });
const PROOF_PROBLEMS = ["wrong_credentials", "passkey_rejected", "two_factor_required"] as const;

const GET_TWO_FACTOR = {
  operationId: "getTwoFactor",
  tags,
  summary: "Retrieve the state of two-factor sign-in",
  description: "Returns whether sign-in asks for a code, and how many recovery codes are left.",
  response: { 200: TwoFactorStatus },
};

const BEGIN_TWO_FACTOR = {
  operationId: "beginTwoFactor",
  tags,
  summary: "Set up two-factor sign-in",
  description:
    "Returns a new secret for an authenticator app (TOTP, RFC 6238). It is shown once, and has no effect until it is confirmed with a code.",
  body: BeginTwoFactorRequest,
  response: { 200: TwoFactorSecret },
};

const CONFIRM_TWO_FACTOR = {
  operationId: "confirmTwoFactor",
  tags,
  summary: "Enable two-factor sign-in",
  description:
    "Enables two-factor sign-in with a code of the authenticator app, ends all other sessions, and returns recovery codes, which are shown once.",
  body: ConfirmTwoFactorRequest,
  response: { 200: RecoveryCodes },
};

const REPLACE_RECOVERY_CODES = {
  operationId: "replaceRecoveryCodes",
  tags,
  summary: "Replace the recovery codes",
  description:
    "Returns new recovery codes, which are shown once. The previous ones no longer work. Requires the password and a code or recovery code.",
  body: ReplaceRecoveryCodesRequest,
  response: { 200: RecoveryCodes },
};

const DISABLE_TWO_FACTOR = {
  operationId: "disableTwoFactor",
  tags,
  summary: "Disable two-factor sign-in",
  description: "Disables two-factor sign-in, with the password and a code or recovery code.",
  body: DisableTwoFactorRequest,
  response: { 204: Done },
};

const PASSKEY_CHALLENGE = {
  operationId: "createPasskeyChallenge",
  tags,
  summary: "Create a challenge for a passkey",
  description:
    "Returns options for `navigator.credentials.get()`. The result signs in, or proves that the owner of the account is present. A challenge works once, within five minutes.",
  response: { 200: PasskeyRequestOptions },
};

const SIGN_IN_WITH_PASSKEY = {
  operationId: "signInWithPasskey",
  tags,
  summary: "Sign in with a passkey",
  description:
    "Creates a session as `POST /auth/sign-in` does, without email, password or code: a passkey counts as two factors.",
  body: PasskeySignInRequest,
  response: { 200: SignedIn },
};

const LIST_PASSKEYS = {
  operationId: "listPasskeys",
  tags,
  summary: "List passkeys",
  description: "Returns the passkeys of the account, newest first.",
  response: { 200: Type.Array(Passkey) },
};

const BEGIN_PASSKEY = {
  operationId: "beginPasskey",
  tags,
  summary: "Begin adding a passkey",
  description:
    "Returns options for `navigator.credentials.create()`. Requires the password, or an existing passkey of the account.",
  body: OwnerProof,
  response: { 200: PasskeyCreationOptions },
};

const ADD_PASSKEY = {
  operationId: "addPasskey",
  tags,
  summary: "Add a passkey",
  description:
    "Stores the passkey that the browser has created with the options, and tells the owner by email.",
  body: AddPasskeyRequest,
  response: { 201: Passkey },
};

const PasskeyParams = Type.Object({
  passkey_id: Type.String({ format: "uuid", description: "ID of the passkey." }),
});

const RENAME_PASSKEY = {
  operationId: "renamePasskey",
  tags,
  summary: "Rename a passkey",
  description: "Changes the name in the list of passkeys. Where the passkey is stored, it keeps its name.",
  params: PasskeyParams,
  body: RenamePasskeyRequest,
  response: { 200: Passkey },
};

const REMOVE_PASSKEY = {
  operationId: "removePasskey",
  tags,
  summary: "Remove a passkey",
  description:
    "Removes a passkey, ends all other sessions, and tells the owner by email. Requires the password, or a passkey of the account. The last second factor cannot be removed where the installation requires one.",
  params: PasskeyParams,
  body: OwnerProof,
  response: { 204: Done },
};

/** Routes with access "session" have no other callers. */
export function signedInCaller({ caller, ip }: FastifyRequest): SignedInBrowser {
  if (caller?.by.kind !== "session") throw new Error("session route called without a session");
  return { accountId: caller.accountId, sessionId: caller.by.sessionId, ip };
}

function presentPasskey({ id, name, createdAt, lastUsedAt }: PasskeyRecord): Passkey {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
