/**
 * Uploads: receive a file, preview it, delete it unless it is confirmed (jobs/confirm-upload.ts).
 *
 * Everything is in the database and the blob store, so any process can continue with a file that another one received.
 */
import { randomUUID } from "node:crypto";
import type { UploadPreview } from "@mailvet/contract";
import { and, desc, eq, gt, isNotNull, isNull, lte, sql, sum } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import { ACCOUNT_LIMITS, PLAN_LIMITS } from "../accounts/plans.ts";
import type { Caller } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database, Orm } from "../db/database.ts";
import { displayedFilename } from "./displayed-filename.ts";
import { maxEmailsOf } from "./email-limit.ts";
import { contentHashOf, type IncomingList, type Intake, receiveFiles } from "./intake.ts";
import { uploadColumnIndexes, uploads } from "./schema.ts";
import { deleteUpload } from "./stored-upload.ts";
import { eraseExpiredUploads } from "./upload-expiry.ts";
import type { UploadFiles } from "./upload-files.ts";
import { UNCONFIRMED_HOURS, type UploadRow, uploadPreview } from "./upload-preview.ts";

export type Uploads = {
  /** Receives a file. A refused or aborted upload is deleted. */
  preview(caller: Caller, upload: IncomingUpload): Promise<PreviewResult>;
  /** Complete uploads of an account, in both modes, that wait for confirmation. Newest first. */
  unconfirmed(accountId: string): Promise<UploadRow[]>;
  /** Deletes an upload that is not confirmed. */
  discard(uploadId: string): Promise<void>;
  /** Deletes all uploads of the account, those of jobs too. */
  eraseAll(accountId: string): Promise<void>;
  /** Returns how many uploads were deleted. */
  eraseExpired(): Promise<number>;
};

export type IncomingUpload = IncomingList & {
  /** For display; read again when everything has arrived. */
  readonly filename: string | undefined;
  /** Has the limits of ten files. */
  isGroup?: boolean;
  /** Of a spreadsheet. Default: the first one with emails. */
  sheet?: string | undefined;
  /** Written by this program (json-list.ts), so nothing about its format needs to be detected. */
  isStrict?: boolean;
  /** The same file with the same key is received once. */
  idempotencyKey: string | undefined;
};

export type PreviewResult = { preview: UploadPreview; isReplayed: boolean };

export type UploadLimits = {
  /** Emails in one file; a plan may allow fewer. */
  maxEmailsPerFile: number;
  /** Of the file as it is sent, compressed or not. */
  maxUploadBytes: number;
};

export type UploadsDeps = {
  database: Database;
  files: UploadFiles;
  limits: UploadLimits;
};

/** Per account and mode. */
const MAX_UNCONFIRMED = ACCOUNT_LIMITS.unconfirmed_uploads;
const TOO_MANY_RETRY_SECONDS = 60;
/** Decompressed size limit, as a multiple of the upload limit. */
const TEXT_PER_BYTE = 5;
/** Rows without an email take space too. */
const ROWS_PER_EMAIL = 10;
const MIN_MAX_ROWS = 1_000_000;
/** An upload whose lease is not renewed counts as abandoned. */
const LEASE_SECONDS = 10;
const RENEW_EVERY_MS = 3_000;

export function createUploads({ database, files, limits }: UploadsDeps): Uploads {
  return {
    async preview(caller, upload) {
      const { idempotencyKey, isGroup = false } = upload;
      const id = randomUUID();
      const earlier = await begin(
        { database, files },
        {
          id,
          caller,
          filename: displayedFilename(upload.filename),
          isGroup,
          idempotencyKey,
        },
      );
      if (earlier) return { preview: await previewAgain(database, earlier, upload), isReplayed: true };
      const renewal = setInterval(() => void renew(database, id).catch(() => {}), RENEW_EVERY_MS);
      try {
        const maxEmails = maxEmailsOf(caller.plan, limits.maxEmailsPerFile, isGroup);
        const intake = await receiveFiles({ database, files }, id, upload, {
          maxEmails,
          maxRows: Math.max(MIN_MAX_ROWS, ROWS_PER_EMAIL * maxEmails),
          maxTextBytes: TEXT_PER_BYTE * limits.maxUploadBytes,
          sheet: upload.sheet,
          isStrict: upload.isStrict,
        });
        const filename = displayedFilename(upload.filename);
        return { preview: await finish(database, id, { ...intake, filename }), isReplayed: false };
      } catch (error) {
        await discard({ database, files }, id);
        throw error;
      } finally {
        clearInterval(renewal);
      }
    },
    unconfirmed: (accountId) =>
      database.orm
        .select()
        .from(uploads)
        .where(
          and(
            eq(uploads.accountId, accountId),
            gt(uploads.expiresAt, sql`now()`),
            isNotNull(uploads.readyAt),
            isNull(uploads.erasedAt),
          ),
        )
        .orderBy(desc(uploads.createdAt)),
    discard: (uploadId) => discard({ database, files }, uploadId),
    async eraseAll(accountId) {
      const isOfAccount = eq(uploads.accountId, accountId);
      for (const { id } of await database.orm.select({ id: uploads.id }).from(uploads).where(isOfAccount))
        await deleteUpload(database.pool, files, id);
    },
    eraseExpired: () => eraseExpiredUploads(database, files),
  };
}

/** If this fails, the upload expires, or maintenance finds its blobs. */
async function discard({ database: { orm }, files }: Pick<UploadsDeps, "database" | "files">, id: string) {
  try {
    await orm.delete(uploads).where(and(eq(uploads.id, id), isNotNull(uploads.expiresAt)));
    const [confirmed] = await orm.select({ id: uploads.id }).from(uploads).where(eq(uploads.id, id));
    if (!confirmed) await files.delete(id); // also where the row was deleted with its account
  } catch {}
}

type NewUpload = {
  id: string;
  caller: Caller;
  filename: string;
  isGroup: boolean;
  idempotencyKey: string | undefined;
};

/** Inserts a new upload, or returns the earlier one with the same idempotency key. */
async function begin(
  { database: { orm }, files }: Pick<UploadsDeps, "database" | "files">,
  upload: NewUpload,
): Promise<UploadRow | undefined> {
  const { caller, idempotencyKey } = upload;
  const hasItsKey = and(
    eq(uploads.accountId, caller.accountId),
    eq(uploads.idempotencyKey, idempotencyKey ?? ""),
  );
  if (idempotencyKey !== undefined) {
    const isOver = and(hasItsKey, lte(uploads.expiresAt, sql`now()`));
    const expired = await orm.delete(uploads).where(isOver).returning({ id: uploads.id });
    for (const one of expired) await files.delete(one.id);
    // The upload of a job is kept for longer than its key.
    const isUsedUp = sql`${uploads.createdAt} <= now() - interval '${sql.raw(String(UNCONFIRMED_HOURS))} hours'`;
    await orm
      .update(uploads)
      .set({ idempotencyKey: null })
      .where(and(hasItsKey, isNull(uploads.expiresAt), isUsedUp));
  }
  if (await orm.transaction((tx) => insert(tx, upload))) return undefined;
  const [earlier] = idempotencyKey === undefined ? [] : await orm.select().from(uploads).where(hasItsKey);
  if (!earlier) {
    const why = `${MAX_UNCONFIRMED} uploads are waiting for confirmation. Confirm one, or wait: each is deleted after ${UNCONFIRMED_HOURS} hours.`;
    throw new Refusal("too_many_uploads", why, { retryAfterSeconds: TOO_MANY_RETRY_SECONDS });
  }
  if (earlier.readyAt !== null) return earlier;
  const why = "The first upload with this Idempotency-Key is still in progress.";
  throw new Refusal("idempotency_in_flight", why, { retryAfterSeconds: 1 });
}

/**
 * Returns whether it was inserted: not above the limit, nor if the idempotency key is in use. Throws storage_full; a file that
 * is received may still lead above that limit.
 */
async function insert(tx: Orm, upload: NewUpload): Promise<boolean> {
  const { id, caller, filename, isGroup, idempotencyKey } = upload;
  const { accountId, isTest, plan } = caller;
  await lockAccount(tx, accountId); // concurrent uploads are counted one after another
  const isUnconfirmed = and(eq(uploads.isTest, isTest), gt(uploads.expiresAt, sql`now()`));
  const [kept] = await tx
    .select({
      unconfirmed: sql<number>`(count(*) filter (where ${isUnconfirmed}))::int`,
      bytes: sum(uploads.storedBytes).mapWith(Number),
    })
    .from(uploads)
    .where(and(eq(uploads.accountId, accountId), isNull(uploads.erasedAt)));
  const { stored_bytes: maxBytes } = PLAN_LIMITS[plan];
  if ((kept?.bytes ?? 0) >= maxBytes) {
    const why = `The lists of this account take ${kept!.bytes} bytes, and its plan allows ${maxBytes}. Delete jobs or saved lists that are no longer needed.`;
    throw new Refusal("storage_full", why);
  }
  if (kept!.unconfirmed >= MAX_UNCONFIRMED) return false;
  const expiresAt = sql`now() + interval '${sql.raw(String(LEASE_SECONDS))} seconds'`;
  const inserted = await tx
    .insert(uploads)
    .values({ id, accountId, isTest, filename, isGroup, idempotencyKey, expiresAt })
    .onConflictDoNothing()
    .returning({ id: uploads.id });
  return inserted.length > 0;
}

/** The same file gets the same preview. Its bytes are hashed for comparison, not stored again. */
async function previewAgain(
  database: Database,
  row: UploadRow,
  upload: IncomingUpload,
): Promise<UploadPreview> {
  if (!row.contentHash?.equals(await contentHashOf(upload))) {
    throw new Refusal("idempotency_key_reused", "This Idempotency-Key was used with a different file.");
  }
  const counted = await database.orm
    .select()
    .from(uploadColumnIndexes)
    .where(eq(uploadColumnIndexes.uploadId, row.id));
  return uploadPreview(row, new Map(counted.map(({ column, uniqueEmails }) => [column, uniqueEmails])));
}

async function renew({ orm }: Database, id: string): Promise<void> {
  await orm
    .update(uploads)
    .set({ expiresAt: sql`now() + interval '${sql.raw(String(LEASE_SECONDS))} seconds'` })
    .where(and(eq(uploads.id, id), isNull(uploads.readyAt)));
}

/** The file is complete: from now on it can be confirmed. */
async function finish(
  { orm }: Database,
  id: string,
  intake: Intake & { filename: string },
): Promise<UploadPreview> {
  const { columnCounts, header, ...rest } = intake;
  const counted = [...columnCounts].flatMap(([column, { emails, unique }]) =>
    unique === undefined ? [] : [{ uploadId: id, column, emails, uniqueEmails: unique }],
  );
  return orm.transaction(async (tx) => {
    const [row] = await tx
      .update(uploads)
      .set({
        ...rest,
        header: header ?? null,
        readyAt: sql`now()`,
        expiresAt: sql`now() + interval '${sql.raw(String(UNCONFIRMED_HOURS))} hours'`,
      })
      .where(eq(uploads.id, id))
      .returning();
    if (!row) throw new Error(`upload ${id} was deleted while it was received`);
    if (counted.length > 0) await tx.insert(uploadColumnIndexes).values(counted).onConflictDoNothing();
    return uploadPreview(row, new Map(counted.map(({ column, uniqueEmails }) => [column, uniqueEmails])));
  });
}
