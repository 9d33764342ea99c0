/**
 * Browsers and networks that have signed in to an account before. Wrong passwords from elsewhere do not lock them out, and the
 * owner is told of a sign-in from a new network.
 *
 * A browser is recognised by the token of its device cookie, which every sign-in replaces: a token that was planted in a
 * browser is of no use afterwards.
 */
import { createHash } from "node:crypto";
import { and, desc, eq, inArray, lte } from "drizzle-orm";
import { areaOf, networkOf } from "../base/client-network.ts";
import type { Database, Orm } from "../db/database.ts";
import { knownClients } from "./schema.ts";
import { makeSecret, secretHash } from "./secret-token.ts";

/** The client of a request that is not authenticated yet. */
export type SessionClient = {
  ip: string;
  userAgent: string;
  /** Of the device cookie. */
  deviceToken?: string | undefined;
};

const DAY_MS = 24 * 60 * 60 * 1000;
/** Since the last sign-in. */
export const KNOWN_FOR_MS = 365 * DAY_MS;
/** Per account. Those with the oldest sign-ins are forgotten. */
const MAX_KNOWN = 150;

/** How an account knows a client. */
export type Recognised = {
  /** Its last sign-in to the account, which remains the same when its token is replaced by a sign-in to another. */
  device: { lastSignInAt: Date } | undefined;
  network: boolean;
};

export async function recognise(
  { orm }: Pick<Database, "orm">,
  accountId: string | undefined,
  client: SessionClient,
): Promise<Recognised> {
  const device = deviceHash(client);
  const network = networkHash(client);
  const isTheirs = and(
    eq(knownClients.accountId, accountId ?? NO_ACCOUNT),
    inArray(knownClients.clientHash, device ? [device, network] : [network]),
  );
  const found = await orm.select().from(knownClients).where(isTheirs);
  return {
    device: found.find(({ clientHash }) => device?.equals(clientHash)),
    network: found.some(({ clientHash }) => network.equals(clientHash)),
  };
}

/** Remembers a client that has signed in. Returns the new token of its device cookie, and whether others only were known. */
export async function remember(
  orm: Orm,
  accountId: string,
  client: SessionClient,
  at: Date,
): Promise<{ deviceToken: string; isNewNetwork: boolean }> {
  const { text, hash } = makeSecret();
  const places = [networkHash(client), areaHash(client)];
  const known = await orm
    .select({ hash: knownClients.clientHash })
    .from(knownClients)
    .where(eq(knownClients.accountId, accountId));
  const isNewNetwork =
    known.length > 0 && !known.some(({ hash }) => places.some((place) => place.equals(hash)));
  const previous = deviceHash(client);
  if (previous) {
    // Also for the other accounts that this browser has signed in to.
    await orm.update(knownClients).set({ clientHash: hash }).where(eq(knownClients.clientHash, previous));
  }
  await orm
    .insert(knownClients)
    .values([hash, ...places].map((clientHash) => ({ accountId, clientHash, lastSignInAt: at })))
    .onConflictDoUpdate({
      target: [knownClients.accountId, knownClients.clientHash],
      set: { lastSignInAt: at },
    });
  const tooMany = orm
    .select({ hash: knownClients.clientHash })
    .from(knownClients)
    .where(eq(knownClients.accountId, accountId))
    .orderBy(desc(knownClients.lastSignInAt))
    .offset(MAX_KNOWN);
  await orm
    .delete(knownClients)
    .where(and(eq(knownClients.accountId, accountId), inArray(knownClients.clientHash, tooMany)));
  return { deviceToken: text, isNewNetwork };
}

export async function forgetUnused({ orm }: Pick<Database, "orm">, at: Date): Promise<void> {
  await orm.delete(knownClients).where(lte(knownClients.lastSignInAt, new Date(at.getTime() - KNOWN_FOR_MS)));
}

/** Looked up for an unknown email, so that the time does not reveal whether the account exists. */
const NO_ACCOUNT = "00000000-0000-0000-0000-000000000000";

function deviceHash({ deviceToken = "" }: SessionClient): Buffer | undefined {
  return secretHash(deviceToken);
}

function networkHash({ ip }: SessionClient): Buffer {
  return createHash("sha256")
    .update(`network ${networkOf(ip)}`)
    .digest();
}

/** The network in a wider sense, for people who get another address every day. */
function areaHash({ ip }: SessionClient): Buffer {
  return createHash("sha256")
    .update(`area ${areaOf(ip)}`)
    .digest();
}
