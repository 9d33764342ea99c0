/** The history of a new demo installation: accounts, keys and a month of usage. Written once, directly into the tables. */
import { randomUUID } from "node:crypto";
import { KEY_SCOPES, type KeyScope } from "@mailvet/contract";
import { eq } from "drizzle-orm";
import { hashPassword } from "../src/accounts/password.ts";
import { accounts } from "../src/accounts/schema.ts";
import type { Database, Orm } from "../src/db/database.ts";
import { generateKeyText, hashOf, modeOf, prefixOf } from "../src/keys/key-format.ts";
import { apiKeys } from "../src/keys/schema.ts";
import { DEMO, OTHER_ACCOUNTS } from "./demo-accounts.ts";
import { writeLedgerHistory } from "./ledger-history.ts";
import { DAYS, pastMonth, type Spender } from "./past-month.ts";
import { seededRandom } from "./seeded-random.ts";

const DAY_MS = 86_400_000;
const SEED = 2026;

/** Does nothing if the history is already there. */
export async function writeHistory(database: Database, now: Date): Promise<void> {
  const { orm } = database;
  const [known] = await orm.select().from(accounts).where(eq(accounts.email, DEMO.email));
  if (known) return;
  const passwordHash = await hashPassword(DEMO.password);
  await orm.transaction(async (tx) => {
    const ago = (days: number) => new Date(now.getTime() - days * DAY_MS);
    for (const { email, plan, credits, opened } of OTHER_ACCOUNTS) {
      const id = await openAccount(tx, { email, plan, passwordHash: null, createdAt: ago(opened) });
      await writeLedgerHistory(tx, id, {
        grants: [{ at: ago(opened), amount: credits, reference: "From the operator" }],
      });
    }
    const opened = ago(DAYS + 2);
    const id = await openAccount(tx, {
      email: DEMO.email,
      plan: "growth",
      passwordHash,
      createdAt: opened,
    });
    const keys = await makeKeys(tx, id, now);
    const grants = [
      { at: opened, amount: 25_000, reference: "Growth plan" },
      { at: ago(9), amount: 15_000, reference: "Top-up before the autumn campaign" },
    ];
    const spendings = pastMonth(spendersWith(keys), now, seededRandom(SEED));
    await writeLedgerHistory(tx, id, { grants, spendings });
  });
}

async function openAccount(
  tx: Orm,
  account: Pick<typeof accounts.$inferInsert, "email" | "plan" | "passwordHash" | "createdAt">,
): Promise<string> {
  const id = randomUUID();
  await tx.insert(accounts).values({ id, emailConfirmedAt: account.createdAt, ...account });
  return id;
}

type Keys = { website: string; nightly: string };

async function makeKeys(tx: Orm, accountId: string, now: Date): Promise<Keys> {
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const make = async (
    text: string,
    key: { name: string; scopes?: readonly KeyScope[]; made: number; used?: number; revoked?: number },
  ) => {
    const { name, scopes = KEY_SCOPES, made, used, revoked } = key;
    const id = randomUUID();
    await tx.insert(apiKeys).values({
      id,
      accountId,
      name,
      mode: modeOf(text),
      keyHash: Buffer.from(hashOf(text), "hex"),
      prefix: prefixOf(text),
      scopes: [...scopes],
      createdAt: ago(made),
      lastUsedAt: used === undefined ? null : ago(used),
      revokedAt: revoked === undefined ? null : ago(revoked),
    });
    return id;
  };
  await make(generateKeyText("live"), { name: "Old CRM import", made: DAYS + 1, used: 12, revoked: 11 });
  await make(generateKeyText("test"), { name: "Sandbox", made: DAYS, used: 3 });
  return {
    website: await make(DEMO.apiKey, { name: "Sign-up form", made: DAYS + 1, used: 1 }),
    nightly: await make(generateKeyText("live"), {
      name: "Nightly list",
      scopes: ["bulk", "read"],
      made: DAYS + 1,
      used: 1,
    }),
  };
}

function spendersWith({ website, nightly }: Keys): Spender[] {
  return [
    {
      keyId: website,
      requests: 190,
      emails: { least: 1, most: 1 },
      hours: { from: 6, to: 22 },
      weekend: 0.4,
      mix: { valid: 80, invalid: 11, risky: 7 },
    },
    {
      keyId: nightly,
      requests: 1,
      emails: { least: 380, most: 940 },
      hours: { from: 2, to: 3 },
      weekend: 0.5,
      mix: { valid: 66, invalid: 19, risky: 11 },
    },
    {
      keyId: undefined,
      requests: 14,
      emails: { least: 1, most: 1 },
      hours: { from: 8, to: 17 },
      weekend: 0,
      mix: { valid: 55, invalid: 25, risky: 14 },
    },
  ];
}
