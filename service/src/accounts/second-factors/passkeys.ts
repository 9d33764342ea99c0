/**
 * Passkeys (WebAuthn): a way to sign in without the password. The authenticator verifies its user, so that a passkey counts as
 * two factors.
 *
 * Who made the authenticator (attestation) is neither requested nor accepted: it would make no difference here.
 */
import type {
  OwnerProof,
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from "@mailvet/contract";
import { and, count, desc, eq, isNotNull } from "drizzle-orm";
import { recordAudit } from "../../audit/audit-writer.ts";
import { networkOf } from "../../base/client-network.ts";
import { Refusal, wrongValue } from "../../base/refusal.ts";
import type { Database } from "../../db/database.ts";
import { emailTemplates } from "../../mail/email-templates.ts";
import type { Mailer, OutgoingEmail } from "../../mail/mailer.ts";
import { emailOf, lockAccount } from "../account-queries.ts";
import type { AttemptLimiter } from "../attempt-limiter.ts";
import type { BackgroundTasks } from "../background-tasks.ts";
import type { SessionClient } from "../known-clients.ts";
import type { OwnerWarnings } from "../owner-warnings.ts";
import { accounts, passkeys } from "../schema.ts";
import { type Sessions, type SignedInBrowser, type SignedInSession, signedInActor } from "../sessions.ts";
import type { OwnerCheck } from "./owner-check.ts";
import { type PasskeyAssertions, rejected, userHandleOf } from "./passkey-assertions.ts";
import { CHALLENGE_LIFE_MS, type PasskeyChallenges } from "./passkey-challenges.ts";
import type { RelyingParty } from "./relying-party.ts";

export type PasskeysDeps = {
  database: Database;
  sessions: Sessions;
  attempts: AttemptLimiter;
  challenges: PasskeyChallenges;
  assertions: PasskeyAssertions;
  ownerCheck: OwnerCheck;
  mailer: Mailer;
  background: BackgroundTasks;
  warnings: OwnerWarnings;
  settings: { publicUrl: string };
};

export type PasskeyRecord = Pick<typeof passkeys.$inferSelect, "id" | "name" | "createdAt" | "lastUsedAt">;

export type Passkeys = {
  /** What a passkey signs, to sign in or as proof of the owner. */
  passkeyChallenge(site: RelyingParty, client: SessionClient): Promise<PasskeyRequestOptions>;
  /** Refuses with passkey_rejected and account_suspended. */
  signInWithPasskey(
    assertion: PasskeyAssertion,
    site: RelyingParty,
    client: SessionClient,
  ): Promise<SignedInSession>;
  /** Newest first. */
  listPasskeys(accountId: string): Promise<PasskeyRecord[]>;
  beginPasskey(by: SignedInBrowser, proof: OwnerProof, site: RelyingParty): Promise<PasskeyCreationOptions>;
  addPasskey(
    by: SignedInBrowser,
    passkey: { name: string; credential: PasskeyAttestation },
    site: RelyingParty,
  ): Promise<PasskeyRecord>;
  renamePasskey(by: SignedInBrowser, passkeyId: string, name: string): Promise<PasskeyRecord>;
  /** Ends the other sessions: one of them may have been opened with it. */
  removePasskey(
    by: SignedInBrowser,
    passkeyId: string,
    proof: OwnerProof,
    site: RelyingParty | undefined,
  ): Promise<void>;
};

const MAX_PASSKEYS = 20;
/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812), which all authenticators and Node 20 know. */
const ALGORITHMS = [-8, -7, -257];

const SHOWN = {
  id: passkeys.id,
  name: passkeys.name,
  createdAt: passkeys.createdAt,
  lastUsedAt: passkeys.lastUsedAt,
};

export function createPasskeys(deps: PasskeysDeps): Passkeys {
  const { sessions, attempts, challenges, assertions, ownerCheck, mailer, background, settings } = deps;
  const { orm } = deps.database;
  const settingsPage = `${settings.publicUrl}/settings`;

  const notifyOwner = (accountId: string, message: (email: string) => OutgoingEmail) => {
    if (!mailer.reachesPeople) return;
    background.run("passkey_email", async () => {
      const email = await emailOf(deps.database, accountId);
      if (email) await mailer.send(message(email));
    });
  };

  return {
    async passkeyChallenge(site, { ip }) {
      await attempts.take({ what: "passkey_challenge", by: [networkOf(ip)] });
      return assertions.challenge(site);
    },

    async signInWithPasskey(assertion, site, client) {
      const network = networkOf(client.ip);
      const ofPasskey = { what: "sign_in_from_one_network", by: ["passkey", assertion.id, network] } as const;
      const ofNetwork = { what: "sign_in_by_one_network", by: [network] } as const;
      await attempts.take(ofPasskey, ofNetwork);
      const verified = await assertions.verify(assertion, site).catch(async (error) => {
        const entry = {
          action: "sign_in.failed",
          accountId: undefined,
          details: { reason: "passkey" },
        } as const;
        await recordAudit(deps.database.pool, { ip: client.ip }, entry);
        throw error;
      });
      const session = await orm
        .transaction(async (tx) => {
          await assertions.recordUse(tx, verified);
          const isConfirmed = and(eq(accounts.id, verified.accountId), isNotNull(accounts.emailConfirmedAt));
          const account = await tx.select({ id: accounts.id }).from(accounts).where(isConfirmed).for("share");
          if (account.length === 0) throw rejected();
          return sessions.open(tx, verified.accountId, client, "passkey");
        })
        .catch(async (error: unknown) => {
          // Suspended: the passkey was right.
          if (error instanceof Refusal && error.code === "account_suspended")
            await attempts.forgive("one", ofPasskey, ofNetwork);
          throw error;
        });
      deps.warnings.signedIn(session, client);
      await attempts.forgive("all", ofPasskey);
      await attempts.forgive("one", ofNetwork);
      return session;
    },

    listPasskeys(accountId) {
      return orm
        .select(SHOWN)
        .from(passkeys)
        .where(eq(passkeys.accountId, accountId))
        .orderBy(desc(passkeys.createdAt), passkeys.id);
    },

    async beginPasskey(by, proof, site) {
      const { account, forgive } = await ownerCheck.require(by, proof, site);
      await forgive();
      const known = await orm
        .select({ credentialId: passkeys.credentialId })
        .from(passkeys)
        .where(eq(passkeys.accountId, account.id));
      if (known.length >= MAX_PASSKEYS) throw tooMany();
      const { generateRegistrationOptions } = await import("@simplewebauthn/server");
      const options = await generateRegistrationOptions({
        rpName: "Mailvet",
        rpID: site.rpId,
        userID: new Uint8Array(userHandleOf(account.id)),
        userName: account.email,
        userDisplayName: account.email,
        challenge: await challenges.create(account.id),
        timeout: CHALLENGE_LIFE_MS,
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId.toString("base64url") })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      return options as PasskeyCreationOptions;
    },

    async addPasskey(by, { name, credential }, site) {
      const { accountId, sessionId } = by;
      const challenge = await challenges.use(credential.response.clientDataJSON, accountId);
      if (challenge === undefined)
        throw wrongValue("/credential", "This request has expired or was used already. Try again.");
      const verified = await verifyAttestation(credential, challenge, site);
      const added = await orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const isTheirs = eq(passkeys.accountId, accountId);
        const [counted] = await tx.select({ passkeys: count() }).from(passkeys).where(isTheirs);
        if (counted!.passkeys >= MAX_PASSKEYS) throw tooMany();
        const [row] = await tx
          .insert(passkeys)
          .values({ accountId, name, ...verified })
          .onConflictDoNothing({ target: passkeys.credentialId })
          .returning(SHOWN);
        if (!row) throw wrongValue("/credential", "This passkey is registered already.");
        await sessions.markByPasskey(tx, sessionId);
        const entry = { action: "passkey.added", accountId, subjectId: row.id } as const;
        await recordAudit(tx, signedInActor(by), entry);
        return row;
      });
      notifyOwner(accountId, (email) => emailTemplates.passkeyAdded(email, name, settingsPage));
      return added;
    },

    renamePasskey: (by, passkeyId, name) =>
      orm.transaction(async (tx) => {
        const { accountId } = by;
        const [renamed] = await tx
          .update(passkeys)
          .set({ name })
          .where(isPasskeyOf(accountId, passkeyId))
          .returning(SHOWN);
        if (!renamed) throw notFound();
        const entry = { action: "passkey.renamed", accountId, subjectId: passkeyId } as const;
        await recordAudit(tx, signedInActor(by), entry);
        return renamed;
      }),

    async removePasskey(by, passkeyId, proof, site) {
      const { accountId, sessionId } = by;
      const isIt = isPasskeyOf(accountId, passkeyId);
      const [found] = await orm.select(SHOWN).from(passkeys).where(isIt);
      if (!found) throw notFound();
      const { forgive } = await ownerCheck.require(by, proof, site);
      await forgive();
      await orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const removed = await tx.delete(passkeys).where(isIt).returning({ id: passkeys.id });
        if (removed.length === 0) throw notFound();
        await ownerCheck.requireSecondFactor(tx, accountId);
        await sessions.endAll(tx, accountId, sessionId);
        const entry = { action: "passkey.removed", accountId, subjectId: passkeyId } as const;
        await recordAudit(tx, signedInActor(by), entry);
      });
      notifyOwner(accountId, (email) => emailTemplates.passkeyRemoved(email, found.name, settingsPage));
    },
  };
}

/** The credential to store. Refuses with validation_failed. */
async function verifyAttestation(
  credential: PasskeyAttestation,
  challenge: string,
  { rpId, origin }: RelyingParty,
) {
  const { clientDataJSON, attestationObject } = credential.response;
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  const verify = async () => {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
    const isPlain =
      attestation.get("fmt") === "none" ||
      (attestation.get("fmt") === "packed" && attestation.get("attStmt").get("x5c") === undefined); // signed by the passkey itself
    // Others have certificates: revocation lists would be fetched from where these say, without the egress guard.
    if (!isPlain) return undefined;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return registrationInfo?.credential;
  };
  const verified = await verify().catch(() => undefined); // it throws for whatever does not match
  if (!verified) throw wrongValue("/credential", "The passkey could not be verified. Try again.");
  return {
    credentialId: Buffer.from(verified.id, "base64url"),
    publicKey: Buffer.from(verified.publicKey),
    counter: verified.counter,
  };
}

const isPasskeyOf = (accountId: string, passkeyId: string) =>
  and(eq(passkeys.id, passkeyId), eq(passkeys.accountId, accountId));

function notFound(): Refusal {
  return new Refusal("passkey_not_found", "No passkey of this account has this id.");
}

function tooMany(): Refusal {
  return new Refusal("too_many_passkeys", `An account can have ${MAX_PASSKEYS} passkeys. Remove one first.`);
}
