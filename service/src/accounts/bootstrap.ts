/** The first start on an empty database: somebody has to be the operator, and have a key to try. */
import { randomBytes } from "node:crypto";
import { KEY_SCOPES, type KeyScope } from "@mailvet/contract";
import { asc, eq } from "drizzle-orm";
import type { Ledger } from "../credits/ledger.ts";
import type { Database } from "../db/database.ts";
import { accountEmail } from "./account-email.ts";
import { hashPassword } from "./password.ts";
import { accounts } from "./schema.ts";

export type BootstrapDeps = {
  database: Database;
  ledger: Pick<Ledger, "open" | "erase">;
  keyring: {
    create(accountId: string, wanted: FirstKey): Promise<{ text: string }>;
    /** Makes a text the account's key, unless it is already. */
    adopt(accountId: string, text: string, name: string): Promise<unknown>;
  };
};

type FirstKey = { name: string; mode: "live"; scopes: readonly KeyScope[]; expiresAt: undefined };

export type BootstrapSettings = {
  email: string;
  password: string | undefined;
  credits: number;
  /** A key that the operator chose. */
  apiKey: string | undefined;
};

/** What to tell the operator, and only now: nothing here is kept readable. */
export type BootstrapResult = {
  email: string;
  /** Only when we made it up. */
  password: string | undefined;
  /** Only when we made it; not the one from the settings. */
  apiKeyText: string | undefined;
};

/** Any constant will do, as long as nobody else in this database uses it. */
const FIRST_START_LOCK = 7_224_108_154;
const FIRST_KEY: FirstKey = { name: "First key", mode: "live", scopes: KEY_SCOPES, expiresAt: undefined };

/** Undefined on later starts: an operator is there, and what the settings say of them counts no more. */
export async function bootstrap(
  deps: BootstrapDeps,
  settings: BootstrapSettings,
): Promise<BootstrapResult | undefined> {
  const { database, keyring } = deps;
  const lock = await database.pool.connect(); // held on one connection while the others do the work
  try {
    await lock.query("select pg_advisory_lock($1)", [FIRST_START_LOCK]);
    const known = await findOperator(database);
    const madeUp = randomBytes(15).toString("base64url");
    const operator = known ?? (await createOperator(deps, settings, settings.password ?? madeUp));
    try {
      const apiKeyText = await giveKey(keyring, operator.id, settings.apiKey, known !== undefined);
      if (known) return undefined;
      return { email: operator.email, password: settings.password ? undefined : madeUp, apiKeyText };
    } catch (error) {
      // The start fails, so nobody will be told the password: the next one has to be the first again.
      if (!known) {
        await database.orm.transaction(async (tx) => {
          await tx.delete(accounts).where(eq(accounts.id, operator.id));
          await deps.ledger.erase(tx, [operator.id]);
        });
      }
      throw error;
    }
  } finally {
    await lock.query("select pg_advisory_unlock($1)", [FIRST_START_LOCK]).finally(() => lock.release());
  }
}

/** The text of the key that was made, if one was. */
async function giveKey(
  keyring: BootstrapDeps["keyring"],
  accountId: string,
  chosen: string | undefined,
  isKnown: boolean,
): Promise<string | undefined> {
  if (chosen) await keyring.adopt(accountId, chosen, "From BOOTSTRAP_API_KEY");
  else if (!isKnown) return (await keyring.create(accountId, FIRST_KEY)).text;
  return undefined;
}

async function findOperator({ orm }: Database) {
  const [operator] = await orm
    .select({ id: accounts.id, email: accounts.email })
    .from(accounts)
    .where(eq(accounts.isOperator, true))
    .orderBy(asc(accounts.createdAt))
    .limit(1);
  return operator;
}

async function createOperator(
  { database, ledger }: BootstrapDeps,
  { email, credits }: BootstrapSettings,
  password: string,
) {
  const passwordHash = await hashPassword(password);
  return database.orm.transaction(async (tx) => {
    const [operator] = await tx
      .insert(accounts)
      .values({
        email: accountEmail(email),
        passwordHash,
        plan: "enterprise",
        isOperator: true,
        emailConfirmedAt: new Date(),
      })
      .returning({ id: accounts.id, email: accounts.email });
    await ledger.open(tx, operator!.id, credits, "Welcome");
    return operator!;
  });
}
