/**
 * Signatures of passkeys: the challenge, and the check of what the browser returned.
 *
 * @simplewebauthn/server checks type, challenge, origin, domain, user verification, counter and signature. It is loaded with the
 * first passkey: most processes never need it. docs/decisions/0021-passkeys.md
 */
import type { PasskeyAssertion, PasskeyRequestOptions } from "@mailvet/contract";
import { and, eq, lt, or, sql } from "drizzle-orm";
import { Refusal } from "../../base/refusal.ts";
import type { Database, Orm } from "../../db/database.ts";
import { passkeys } from "../schema.ts";
import { CHALLENGE_LIFE_MS, type PasskeyChallenges } from "./passkey-challenges.ts";
import type { RelyingParty } from "./relying-party.ts";

export type PasskeyAssertions = {
  challenge(site: RelyingParty): Promise<PasskeyRequestOptions>;
  /** Uses up the challenge. Refuses with passkey_rejected, also for a passkey of another account than the given one. */
  verify(assertion: PasskeyAssertion, site: RelyingParty, accountId?: string): Promise<VerifiedAssertion>;
  /** Stores the counter. Refuses a passkey that was removed or used with a higher counter meanwhile. */
  recordUse(orm: Orm, verified: VerifiedAssertion): Promise<void>;
};

export type VerifiedAssertion = { passkeyId: string; accountId: string; counter: number };

export type PasskeyAssertionsDeps = { database: Database; challenges: PasskeyChallenges; now: () => Date };

export function createPasskeyAssertions({
  database: { orm },
  challenges,
  now,
}: PasskeyAssertionsDeps): PasskeyAssertions {
  return {
    async challenge({ rpId }) {
      const challenge = Buffer.from(await challenges.create()).toString("base64url");
      return { challenge, rpId, timeout: CHALLENGE_LIFE_MS, userVerification: "required" };
    },

    async verify(assertion, { rpId, origin }, accountId) {
      const { clientDataJSON, authenticatorData, signature, userHandle } = assertion.response;
      const challenge = await challenges.use(clientDataJSON);
      if (challenge === undefined) throw rejected();
      const hasId = eq(passkeys.credentialId, Buffer.from(assertion.id, "base64url"));
      const [passkey] = await orm.select().from(passkeys).where(hasId);
      if (!passkey || (accountId !== undefined && passkey.accountId !== accountId)) throw rejected();
      if (userHandle && userHandle !== userHandleOf(passkey.accountId).toString("base64url"))
        throw rejected();

      const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
      // It throws for whatever does not match.
      const result = await verifyAuthenticationResponse({
        response: {
          ...assertion,
          response: { clientDataJSON, authenticatorData, signature },
          clientExtensionResults: {},
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        credential: {
          id: assertion.id,
          publicKey: new Uint8Array(passkey.publicKey),
          counter: passkey.counter,
        },
      }).catch(() => undefined);
      if (!result?.verified) throw rejected();
      return {
        passkeyId: passkey.id,
        accountId: passkey.accountId,
        counter: result.authenticationInfo.newCounter,
      };
    },

    async recordUse(tx, { passkeyId, counter }) {
      const isNewer = or(
        lt(passkeys.counter, counter),
        and(eq(passkeys.counter, 0), sql`${counter}::bigint = 0`),
      );
      const used = await tx
        .update(passkeys)
        .set({ counter, lastUsedAt: now() })
        .where(and(eq(passkeys.id, passkeyId), isNewer))
        .returning({ id: passkeys.id });
      if (used.length === 0) throw rejected();
    },
  };
}

/** The account as authenticators store it. */
export function userHandleOf(accountId: string): Buffer {
  return Buffer.from(accountId.replaceAll("-", ""), "hex");
}

export function rejected(): Refusal {
  return new Refusal("passkey_rejected", "This passkey was not accepted. Try again, or use your password.");
}
