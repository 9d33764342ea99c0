/** First start on an empty database: creates the operator account and its first API key. */
import { randomBytes } from "node:crypto";
import { KEY_SCOPES, type KeyScope } from "@mailvet/contract";
import { BadSettings } from "@mailvet/engine";
import { asc, eq } from "drizzle-orm";
import pg from "pg";
import type { Ledger } from "../credits/ledger.ts";
import { type Database, START_CONNECT_TIMEOUT_MS } from "../db/database.ts";
import { accountEmail } from "./account-email.ts";
import { deleteAccounts } from "./account-queries.ts";
import { hashPassword } from "./password.ts";
import { passwordProblem } from "./password-rules.ts";
import { accounts } from "./schema.ts";

export type BootstrapDeps = {
  database: Database;
  ledger: Pick<Ledger, "open" | "erase">;
  keyring: {
    create(accountId: string, wanted: FirstKey): Promise<{ text: string }>;
    /** Makes a given text a key of the account, unless it is one already. */
    adopt(accountId: string, text: string, name: string): Promise<unknown>;
  };
};

type FirstKey = { name: string; mode: "live"; scopes: readonly KeyScope[]; expiresAt: undefined };

export type BootstrapSettings = {
  email: string;
  password: string | undefined;
  credits: number;
  /** A key chosen by the operator. */
  apiKey: string | undefined;
};

/** Shown to the operator once: only hashes are stored. */
export type BootstrapResult = {
  email: string;
  /** Only if it was generated. */
  password: string | undefined;
  /** Only if it was generated. */
  apiKeyText: string | undefined;
};

/** Any constant that no other advisory lock of this database uses. */
const FIRST_START_LOCK = 7_224_108_154;
const FIRST_KEY: FirstKey = { name: "First key", mode: "live", scopes: KEY_SCOPES, expiresAt: undefined };

/** Undefined on later starts: the operator exists, and the settings no longer apply. Throws BadSettings for a weak password. */
export async function bootstrap(
  deps: BootstrapDeps,
  settings: BootstrapSettings,
): Promise<BootstrapResult | undefined> {
  const { database, keyring } = deps;
  // The lock belongs to this connection; one of the pool may lead through a pooler to another session each time.
  const lock = new pg.Client({ ...database.connection, connectionTimeoutMillis: START_CONNECT_TIMEOUT_MS });
  lock.on("error", () => {}); // reported by the running query
  await lock.connect();
  try {
    await lock.query("select pg_advisory_lock($1)", [FIRST_START_LOCK]);
    const known = await findOperator(database);
    const generated = randomBytes(15).toString("base64url");
    const operator = known ?? (await createOperator(deps, settings, settings.password ?? generated));
    try {
      const apiKeyText = await ensureKey(keyring, operator.id, settings.apiKey, known !== undefined);
      if (known) return undefined;
      return { email: operator.email, password: settings.password ? undefined : generated, apiKeyText };
    } catch (error) {
      // The start fails before the password is shown, so the next start has to be the first again.
      if (!known) {
        await database.orm.transaction((tx) => deleteAccounts(tx, deps.ledger, eq(accounts.id, operator.id)));
      }
      throw error;
    }
  } finally {
    await lock.end().catch(() => {}); // releases the lock
  }
}

/** The text of the key, if one was generated. */
async function ensureKey(
  keyring: BootstrapDeps["keyring"],
  accountId: string,
  chosen: string | undefined,
  hasOperator: boolean,
): Promise<string | undefined> {
  if (chosen) await keyring.adopt(accountId, chosen, "From BOOTSTRAP_API_KEY");
  else if (!hasOperator) return (await keyring.create(accountId, FIRST_KEY)).text;
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
  const problem = await passwordProblem(password, accountEmail(email).canonical);
  if (problem) throw new BadSettings([`ADMIN_PASSWORD=***: ${problem}`]);
  const passwordHash = await hashPassword(password);
  return database.orm.transaction(async (tx) => {
    const [operator] = await tx
      .insert(accounts)
      .values({
        email: accountEmail(email).canonical,
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
