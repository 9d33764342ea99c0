/**
 * Browser sessions. The cookie holds a secret, the table its hash.
 *
 * A session ends 30 days after it was opened, or 7 days after its last use.
 */
import type { Plan } from "@mailvet/contract";
import { and, desc, eq, getTableColumns, gt, inArray, lte, ne, or, sql } from "drizzle-orm";
import { type Actor, recordAudit } from "../audit/audit-writer.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database, Orm } from "../db/database.ts";
import { notifySql } from "../db/pubsub.ts";
import { accountSql, requireNotSuspended } from "./account-queries.ts";
import { remember, type SessionClient } from "./known-clients.ts";
import { sessions } from "./schema.ts";
import { makeSecret, secretHash } from "./secret-token.ts";

/** The channel for sessions that end before their time, or whose token does. The payload is the account's id. */
export const SESSION_ENDED = "session_ended";
const NOTIFIED = { id: sessions.id, notified: notifySql(SESSION_ENDED, sql`${sessions.accountId}::text`) };

export type KnownSession = {
  sessionId: string;
  accountId: string;
  plan: Plan;
  isOperator: boolean;
  /** Why the account is suspended; null unless it is. */
  suspendedFor: string | null;
  /** An operator who must sign in with two factors first. */
  needsTwoFactor: boolean;
  expiresAt: Date;
};

/** The token is for the cookie and not stored. */
export type OpenedSession = { sessionId: string; token: string; expiresAt: Date };

/** With the token of the device cookie (known-clients.ts). */
export type SignedInSession = OpenedSession & {
  accountId: string;
  deviceToken: string;
  /** The account was signed in to before, from other networks only. */
  isNewNetwork: boolean;
};

export type SessionRecord = Omit<typeof sessions.$inferSelect, "tokenHash">;

/** A person in a browser. */
export type SignedInBrowser = { accountId: string; sessionId: string; ip?: string | undefined };

export function signedInActor({ accountId, sessionId, ip }: SignedInBrowser): Actor {
  return { accountId, by: { kind: "session", sessionId }, ip };
}

/** How a session was opened. */
export type SignInMethod = "password" | "code" | "recovery_code" | "passkey" | "sign_up" | "email_link";

export type Sessions = {
  find(token: string): Promise<KnownSession | undefined>;
  /**
   * Ends the least recently used sessions over the limit, and remembers the client. The audit log has the method. Refuses
   * with account_suspended.
   */
  open(orm: Orm, accountId: string, client: SessionClient, method: SignInMethod): Promise<SignedInSession>;
  /** A passkey was added in this session, which counts like signing in with it. */
  markByPasskey(orm: Orm, sessionId: string): Promise<void>;
  /** The same session under a new token; the old one is invalid. */
  rotate(orm: Orm, sessionId: string): Promise<OpenedSession>;
  list(accountId: string): Promise<SessionRecord[]>;
  /** A session of this account. Refuses with session_not_found. */
  end(accountId: string, sessionId: string, by: Actor): Promise<void>;
  /** The session of this token, if it exists. */
  endByToken(token: string, ip?: string): Promise<void>;
  endAll(orm: Orm, accountId: string, exceptSessionId?: string): Promise<void>;
  deleteExpired(): Promise<void>;
};

const DAY_MS = 24 * 60 * 60 * 1000;
const LIFE_MS = 30 * DAY_MS;
const IDLE_MS = 7 * DAY_MS;
const SEEN_EVERY_MS = 5 * 60 * 1000;
/** Per account. The least recently used are ended. */
const MAX_SESSIONS = 50;
const MAX_USER_AGENT_LENGTH = 200;

type Found = Omit<KnownSession, "expiresAt"> & { expiresAt: Date; lastSeenAt: Date };

const FIND = {
  name: "session_find",
  text: `
    select s.id as "sessionId", s.account_id as "accountId", ${accountSql.rights},
      ${accountSql.needsTwoFactor("$4", "s.by_passkey")} as "needsTwoFactor",
      s.expires_at as "expiresAt", s.last_seen_at as "lastSeenAt"
    from sessions s ${accountSql.join("s.account_id")}
    where s.token_hash = $1 and s.expires_at > $2 and s.last_seen_at > $3`,
};

const SEE = {
  name: "session_see",
  text: "update sessions set last_seen_at = $2 where id = $1 and last_seen_at < $2",
};

/** For whom two-factor sign-in is required. */
export const REQUIRE_TWO_FACTOR = ["off", "operators"] as const;
export type RequireTwoFactor = (typeof REQUIRE_TWO_FACTOR)[number];

export type SessionsDeps = {
  database: Database;
  requireTwoFactor?: RequireTwoFactor;
  now?: () => Date;
};

export function createSessions({
  database,
  requireTwoFactor = "off",
  now = () => new Date(),
}: SessionsDeps): Sessions {
  const { orm, pool } = database;
  const idleSince = () => new Date(now().getTime() - IDLE_MS);
  return {
    async find(token) {
      const hash = secretHash(token);
      if (!hash) return undefined;
      const at = now();
      const { rows } = await pool.query<Found>({
        ...FIND,
        values: [hash, at, idleSince(), requireTwoFactor === "operators"],
      });
      if (!rows[0]) return undefined;
      const { lastSeenAt, ...session } = rows[0];
      const isDue = at.getTime() - lastSeenAt.getTime() >= SEEN_EVERY_MS;
      if (isDue) await pool.query({ ...SEE, values: [session.sessionId, at] });
      return session;
    },

    async open(orm, accountId, client, method) {
      await requireNotSuspended(orm, accountId);
      const { ip, userAgent } = client;
      const { text: token, hash: tokenHash } = makeSecret();
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + LIFE_MS);
      const [row] = await orm
        .insert(sessions)
        .values({
          accountId,
          tokenHash,
          ip,
          byPasskey: method === "passkey",
          userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
          createdAt,
          lastSeenAt: createdAt,
          expiresAt,
        })
        .returning({ sessionId: sessions.id });
      const tooMany = orm
        .select({ id: sessions.id })
        .from(sessions)
        .where(eq(sessions.accountId, accountId))
        .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt))
        .offset(MAX_SESSIONS);
      await orm.delete(sessions).where(inArray(sessions.id, tooMany)).returning(NOTIFIED);
      const remembered = await remember(orm, accountId, client, createdAt);
      const { sessionId } = row!;
      const entry = {
        action: "sign_in.succeeded",
        accountId,
        subjectId: sessionId,
        details: { method },
      } as const;
      await recordAudit(orm, signedInActor({ accountId, sessionId, ip }), entry);
      return { accountId, sessionId, token, expiresAt, ...remembered };
    },

    async markByPasskey(orm, sessionId) {
      await orm.update(sessions).set({ byPasskey: true }).where(eq(sessions.id, sessionId));
    },

    async rotate(orm, sessionId) {
      const { text: token, hash: tokenHash } = makeSecret();
      const [row] = await orm
        .update(sessions)
        .set({ tokenHash, lastSeenAt: now() })
        .where(eq(sessions.id, sessionId))
        .returning({ ...NOTIFIED, expiresAt: sessions.expiresAt });
      if (!row) throw new Refusal("not_signed_in", "This session has ended. Sign in again.");
      return { sessionId, token, expiresAt: row.expiresAt };
    },

    list(accountId) {
      const { tokenHash: _secret, ...shown } = getTableColumns(sessions);
      return orm
        .select(shown)
        .from(sessions)
        .where(
          and(
            eq(sessions.accountId, accountId),
            gt(sessions.expiresAt, now()),
            gt(sessions.lastSeenAt, idleSince()),
          ),
        )
        .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt));
    },

    async end(accountId, sessionId, by) {
      await orm.transaction(async (tx) => {
        const ended = await tx
          .delete(sessions)
          .where(and(eq(sessions.id, sessionId), eq(sessions.accountId, accountId)))
          .returning(NOTIFIED);
        if (ended.length === 0)
          throw new Refusal("session_not_found", "No session of this account has this id.");
        await recordAudit(tx, by, { action: "session.ended", accountId, subjectId: sessionId });
      });
    },

    async endByToken(token, ip) {
      const hash = secretHash(token);
      if (!hash) return;
      await orm.transaction(async (tx) => {
        const [ended] = await tx
          .delete(sessions)
          .where(eq(sessions.tokenHash, hash))
          .returning({ ...NOTIFIED, accountId: sessions.accountId });
        if (!ended) return;
        const { id: sessionId, accountId } = ended;
        await recordAudit(tx, signedInActor({ accountId, sessionId, ip }), {
          action: "sign_out",
          accountId,
          subjectId: sessionId,
        });
      });
    },

    async endAll(orm, accountId, exceptSessionId) {
      const others = exceptSessionId === undefined ? undefined : ne(sessions.id, exceptSessionId);
      await orm
        .delete(sessions)
        .where(and(eq(sessions.accountId, accountId), others))
        .returning(NOTIFIED);
    },

    async deleteExpired() {
      await orm
        .delete(sessions)
        .where(or(lte(sessions.expiresAt, now()), lte(sessions.lastSeenAt, idleSince())));
    },
  };
}
