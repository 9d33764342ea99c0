/**
 * Two-factor sign-in: time-based codes (RFC 6238) of an authenticator app, and recovery codes for when it is lost.
 *
 * Every code works once: a time step that was accepted, and all before it, are refused afterwards.
 */
import { createHash, randomBytes } from "node:crypto";
import { and, count, eq, isNull, lt, or } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { recordAudit } from "../../audit/audit-writer.ts";
import { Refusal, wrongValue } from "../../base/refusal.ts";
import type { Database, Orm } from "../../db/database.ts";
import { lockAccount } from "../account-queries.ts";
import type { OwnerWarnings } from "../owner-warnings.ts";
import { accounts, recoveryCodes, twoFactor } from "../schema.ts";
import { type Sessions, type SignedInBrowser, signedInActor } from "../sessions.ts";
import { hasCodesEnabled, type OwnerCheck } from "./owner-check.ts";

export type TwoFactorDeps = {
  database: Database;
  sessions: Pick<Sessions, "endAll">;
  ownerCheck: OwnerCheck;
  warnings: OwnerWarnings;
  now: () => Date;
};

export type TwoFactor = {
  twoFactorStatus(
    accountId: string,
  ): Promise<{ isEnabled: boolean; isRequired: boolean; recoveryCodesLeft: number }>;
  /** A new secret, which is never shown again. It has no effect until a code confirms it. */
  beginTwoFactor(by: SignedInBrowser, password: string): Promise<{ secret: string; uri: string }>;
  /** Enables it and ends the other sessions. Returns the recovery codes, which are never shown again. */
  confirmTwoFactor(by: SignedInBrowser, code: string): Promise<string[]>;
  /** Returns new recovery codes, which are never shown again. The previous ones no longer work. */
  replaceRecoveryCodes(by: SignedInBrowser, password: string, code: string): Promise<string[]>;
  disableTwoFactor(by: SignedInBrowser, password: string, code: string): Promise<void>;
  /** Asked again before something that matters: the password, and the code where two-factor sign-in is enabled. */
  requireProof(by: SignedInBrowser, proof: { password: string; code?: string | undefined }): Promise<void>;
};

const STEP_MS = 30_000;
/** Steps before and after the current one, for clocks that differ. */
const DRIFT_STEPS = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_CODE_BYTES = 10;

export function createTwoFactor({ database, sessions, ownerCheck, warnings, now }: TwoFactorDeps): TwoFactor {
  const { orm } = database;
  const wrongGuess = (accountId: string) => {
    warnings.wrongCode(accountId);
    return wrongCode();
  };
  return {
    async twoFactorStatus(accountId) {
      const [[account], [enabled], [left]] = await Promise.all([
        orm.select({ isOperator: accounts.isOperator }).from(accounts).where(eq(accounts.id, accountId)),
        orm.select({ id: twoFactor.accountId }).from(twoFactor).where(hasCodesEnabled(accountId)),
        orm.select({ codes: count() }).from(recoveryCodes).where(eq(recoveryCodes.accountId, accountId)),
      ]);
      return {
        isEnabled: enabled !== undefined,
        isRequired: account !== undefined && ownerCheck.isRequired(account),
        recoveryCodesLeft: left!.codes,
      };
    },

    async beginTwoFactor(by, password) {
      const { account, forgive } = await ownerCheck.require(by, { password }, undefined);
      const { accountId } = by;
      const secret = randomBytes(SECRET_BYTES);
      const begun = await orm
        .insert(twoFactor)
        .values({ accountId, secret })
        .onConflictDoUpdate({
          target: twoFactor.accountId,
          set: { secret },
          setWhere: isNull(twoFactor.enabledAt),
        })
        .returning({ id: twoFactor.accountId });
      if (begun.length === 0)
        throw new Refusal("two_factor_enabled", "Two-factor sign-in is enabled. Disable it first.");
      await forgive();
      const totp = totpOf(secret, account.email);
      return { secret: totp.secret.base32, uri: totp.toString() };
    },

    async confirmTwoFactor(by, code) {
      const { forgive } = await ownerCheck.requireOtherProof(by);
      const { accountId, sessionId } = by;
      const codes = await orm.transaction(async (tx) => {
        await lockAccount(tx, accountId); // also until a sign-in without a code has opened its session
        const isPending = and(eq(twoFactor.accountId, accountId), isNull(twoFactor.enabledAt));
        const [pending] = await tx.select().from(twoFactor).where(isPending).for("update");
        const lastStep = pending && stepOf(pending.secret, code, now());
        if (lastStep === undefined) throw wrongCode();
        await tx.update(twoFactor).set({ enabledAt: now(), lastStep }).where(isPending);
        await sessions.endAll(tx, accountId, sessionId);
        await recordAudit(tx, signedInActor(by), { action: "two_factor.enabled", accountId });
        return addRecoveryCodes(tx, accountId);
      });
      await forgive();
      return codes;
    },

    async replaceRecoveryCodes(by, password, code) {
      const { forgive } = await ownerCheck.require(by, { password }, undefined);
      const { accountId } = by;
      const codes = await orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const factor = await checkSecondFactor(tx, accountId, code, now());
        if (factor === "wrong") throw wrongGuess(accountId);
        if (factor === "not_enabled") throw wrongValue("/code", "Two-factor sign-in is not enabled.");
        await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId));
        const entry = { action: "two_factor.recovery_codes_replaced", accountId } as const;
        await recordAudit(tx, signedInActor(by), entry);
        return addRecoveryCodes(tx, accountId);
      });
      await forgive();
      return codes;
    },

    async requireProof(by, { password, code }) {
      const { forgive } = await ownerCheck.require(by, { password }, undefined);
      const factor = await orm.transaction((tx) => checkSecondFactor(tx, by.accountId, code, now()));
      if (factor === "missing") {
        await forgive(); // the first of two steps
        throw new Refusal(
          "two_factor_required",
          "Enter the code of your authenticator app, or a recovery code.",
        );
      }
      if (factor === "wrong") throw wrongGuess(by.accountId);
      await forgive();
    },

    async disableTwoFactor(by, password, code) {
      const { forgive } = await ownerCheck.require(by, { password }, undefined);
      const { accountId } = by;
      await orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        if ((await checkSecondFactor(tx, accountId, code, now())) === "wrong") throw wrongGuess(accountId);
        await tx.delete(twoFactor).where(eq(twoFactor.accountId, accountId));
        await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId));
        await ownerCheck.requireSecondFactor(tx, accountId);
        await recordAudit(tx, signedInActor(by), { action: "two_factor.disabled", accountId });
      });
      await forgive();
    },
  };
}

/** Uses up the code. "not_enabled" without two-factor sign-in. */
export async function checkSecondFactor(
  tx: Orm,
  accountId: string,
  code: string | undefined,
  at: Date,
): Promise<"not_enabled" | "code" | "recovery_code" | "missing" | "wrong"> {
  const [enabled] = await tx.select().from(twoFactor).where(hasCodesEnabled(accountId));
  if (!enabled) return "not_enabled";
  if (code === undefined) return "missing";
  const step = stepOf(enabled.secret, code, at);
  const used =
    step === undefined
      ? await tx
          .delete(recoveryCodes)
          .where(
            and(
              eq(recoveryCodes.accountId, accountId),
              eq(recoveryCodes.codeHash, recoveryHash(accountId, code)),
            ),
          )
          .returning({ id: recoveryCodes.accountId })
      : await tx
          .update(twoFactor)
          .set({ lastStep: step })
          .where(
            and(
              eq(twoFactor.accountId, accountId),
              or(isNull(twoFactor.lastStep), lt(twoFactor.lastStep, step)),
            ),
          )
          .returning({ id: twoFactor.accountId });
  if (used.length === 0) return "wrong";
  return step === undefined ? "recovery_code" : "code";
}

function totpOf(secret: Buffer, email: string): TOTP {
  const buffer = new Uint8Array(secret).buffer;
  return new TOTP({
    issuer: "Mailvet",
    label: email,
    secret: new Secret({ buffer }),
    period: STEP_MS / 1000,
  });
}

/** One of a million, other than recovery codes. */
export function isTimeCode(code: string): boolean {
  return /^\d{6}$/.test(code.replace(/\s/g, ""));
}

/** The time step that the code belongs to. */
function stepOf(secret: Buffer, code: string, at: Date): number | undefined {
  if (!isTimeCode(code)) return undefined;
  const token = code.replace(/\s/g, "");
  const timestamp = at.getTime();
  const drift = totpOf(secret, "").validate({ token, timestamp, window: DRIFT_STEPS });
  return drift === null ? undefined : Math.floor(timestamp / STEP_MS) + drift;
}

async function addRecoveryCodes(tx: Orm, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, makeRecoveryCode);
  await tx
    .insert(recoveryCodes)
    .values(codes.map((text) => ({ accountId, codeHash: recoveryHash(accountId, text) })));
  return codes;
}

/** 80 random bits in groups of four, such as "k3qd-...". */
function makeRecoveryCode(): string {
  const { buffer } = new Uint8Array(randomBytes(RECOVERY_CODE_BYTES));
  return new Secret({ buffer }).base32.toLowerCase().replace(/.{4}(?=.)/g, "$&-");
}

function recoveryHash(accountId: string, code: string): Buffer {
  const text = code.toLowerCase().replace(/[^a-z2-7]/g, "");
  return createHash("sha256").update(`${accountId} ${text}`).digest();
}

function wrongCode(): Refusal {
  return wrongValue("/code", "The code is incorrect or was used already.");
}
