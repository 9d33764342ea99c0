/**
 * Checks, before second factors change, that the owner of the account is at the browser: by the password or a passkey.
 *
 * Guesses of a password or code in an unattended browser are limited together.
 */
import type { OwnerProof } from "@mailvet/contract";
import { and, count, eq, isNotNull } from "drizzle-orm";
import { Refusal, wrongValue } from "../../base/refusal.ts";
import type { Database, Orm } from "../../db/database.ts";
import type { AttemptLimiter } from "../attempt-limiter.ts";
import { verifyPassword } from "../password.ts";
import { accounts, passkeys, sessions, twoFactor } from "../schema.ts";
import type { RequireTwoFactor, SignedInBrowser } from "../sessions.ts";
import type { PasskeyAssertions } from "./passkey-assertions.ts";
import type { RelyingParty } from "./relying-party.ts";

export type OwnerCheck = {
  /** Refuses with wrong_credentials, passkey_rejected, or two_factor_required where a passkey is needed. */
  require(by: SignedInBrowser, proof: OwnerProof, site: RelyingParty | undefined): Promise<CheckedOwner>;
  /** For a request that carries other proof: counts the attempt. */
  requireOtherProof(by: SignedInBrowser): Promise<CheckedOwner>;
  /** Refuses with last_second_factor where the installation requires one. Call it in the transaction that removes one. */
  requireSecondFactor(tx: Orm, accountId: string): Promise<void>;
  isRequired(account: { isOperator: boolean }): boolean;
};

export type CheckedOwner = {
  account: typeof accounts.$inferSelect;
  /** Subtracts this attempt. Not all of them: one who knows the password could guess codes without a limit. */
  forgive(): Promise<void>;
};

export type OwnerCheckDeps = {
  database: Database;
  attempts: AttemptLimiter;
  assertions: PasskeyAssertions;
  settings: { requireTwoFactor: RequireTwoFactor };
};

export function createOwnerCheck({ database, attempts, assertions, settings }: OwnerCheckDeps): OwnerCheck {
  const { orm } = database;
  const isRequired: OwnerCheck["isRequired"] = ({ isOperator }) =>
    settings.requireTwoFactor === "operators" && isOperator;

  const counted = async (accountId: string): Promise<CheckedOwner> => {
    const tried = { what: "change_password", by: [accountId] } as const;
    await attempts.take(tried);
    const [account] = await orm.select().from(accounts).where(eq(accounts.id, accountId));
    if (!account) throw wrongPassword();
    return { account, forgive: () => attempts.forgive("one", tried) };
  };

  /** Otherwise the password alone would be enough to add a second factor, and so to get around the required one. */
  const requireFullSession = async ({ accountId, sessionId }: SignedInBrowser, { account }: CheckedOwner) => {
    if (!isRequired(account)) return;
    const [factors, [session]] = await Promise.all([
      secondFactorsOf(orm, accountId),
      orm.select({ byPasskey: sessions.byPasskey }).from(sessions).where(eq(sessions.id, sessionId)),
    ]);
    if (factors.hasCodes || factors.passkeys === 0 || session?.byPasskey) return;
    throw new Refusal("two_factor_required", "Use a passkey of the account for this, not the password.");
  };

  return {
    isRequired,

    async require(by, { password, credential }, site) {
      if (credential !== undefined && site !== undefined) {
        const owner = await counted(by.accountId);
        await assertions.recordUse(orm, await assertions.verify(credential, site, by.accountId));
        return owner;
      }
      if (password === undefined) throw wrongValue("/password", "Enter your password, or use a passkey.");
      const owner = await counted(by.accountId);
      if (!(await verifyPassword(password, owner.account.passwordHash ?? undefined))) throw wrongPassword();
      await requireFullSession(by, owner);
      return owner;
    },

    async requireOtherProof(by) {
      const owner = await counted(by.accountId);
      await requireFullSession(by, owner);
      return owner;
    },

    async requireSecondFactor(tx, accountId) {
      const [account] = await tx.select().from(accounts).where(eq(accounts.id, accountId));
      if (!account || !isRequired(account)) return;
      const { hasCodes, passkeys } = await secondFactorsOf(tx, accountId);
      if (hasCodes || passkeys > 0) return;
      throw new Refusal(
        "last_second_factor",
        "This installation requires two-factor sign-in, and this is your only second factor. Add another one first.",
      );
    },
  };
}

async function secondFactorsOf(orm: Pick<Orm, "select">, accountId: string) {
  const [codes] = await orm
    .select({ id: twoFactor.accountId })
    .from(twoFactor)
    .where(hasCodesEnabled(accountId));
  const [counted] = await orm
    .select({ passkeys: count() })
    .from(passkeys)
    .where(eq(passkeys.accountId, accountId));
  return { hasCodes: codes !== undefined, passkeys: counted!.passkeys };
}

export function hasCodesEnabled(accountId: string) {
  return and(eq(twoFactor.accountId, accountId), isNotNull(twoFactor.enabledAt));
}

function wrongPassword(): Refusal {
  return new Refusal("wrong_credentials", "The password is incorrect.");
}
