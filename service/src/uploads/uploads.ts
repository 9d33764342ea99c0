/**
 * Customers' files: taken in and previewed, confirmed as jobs, erased when nobody confirms them.
 *
 * All of it is in the database, so whichever process took a file in, any other goes on with it.
 */
import { createHash, randomUUID } from "node:crypto";
import type { Job, UploadPreview } from "@mailvet/contract";
import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { Caller } from "../caller.ts";
import type { JobsConfig } from "../config.ts";
import type { BeforeCommit, Database } from "../db/database.ts";
import { type Confirmation, type ConfirmDeps, confirmUpload } from "../jobs/confirm-upload.ts";
import { Refusal } from "../refusal.ts";
import { displayedFilename } from "./displayed-filename.ts";
import { maxEmailsOf } from "./email-limit.ts";
import { type Intake, takeIn } from "./intake.ts";
import { uploadCensuses, uploads } from "./schema.ts";
import { eraseExpiredUploads } from "./upload-expiry.ts";
import { UNCONFIRMED_HOURS, type UploadRow, uploadPreview } from "./upload-preview.ts";

export type Uploads = {
  /** Takes a file in. Whatever is refused, or breaks off, leaves nothing behind. */
  preview(caller: Caller, file: FileSent): Promise<Previewed>;
  /** Makes a job of it; the same job, however often it is confirmed. */
  confirm(caller: Caller, confirmation: Confirmation, beforeCommit?: BeforeCommit<Job>): Promise<Job>;
  /** How many uploads were erased. */
  eraseExpired(): Promise<number>;
};

export type FileSent = {
  filename: string | undefined;
  /** Throws when the rest is not going to come. */
  bytes: AsyncIterable<Uint8Array>;
  /** Names the request for good: the same file under it is taken in once. */
  onceKey: string | undefined;
};

export type Previewed = { preview: UploadPreview; isReplayed: boolean };

export type UploadsDeps = Omit<ConfirmDeps, "limits"> & {
  limits: Pick<JobsConfig, "maxEmailsPerFile" | "maxUploadBytes">;
};

/** Of one account. */
const MAX_UNCONFIRMED = 20;
const TOO_MANY_RETRY_SECONDS = 60;
/** Text that unpacks to more than this many times what may be sent was not made by people. */
const TEXT_PER_BYTE = 5;
/** Rows without an email take room too. */
const ROWS_PER_EMAIL = 10;
const MIN_MAX_ROWS = 1_000_000;
/** How soon an upload counts as left behind by a process that died, and how often one that lives says so. */
const LEASE_SECONDS = 10;
const RENEW_EVERY_MS = 3_000;

export function createUploads(deps: UploadsDeps): Uploads {
  const { database, limits } = deps;
  return {
    async preview(caller, { filename, bytes, onceKey }) {
      const id = randomUUID();
      const earlier = await begin(database, { id, caller, filename: displayedFilename(filename), onceKey });
      if (earlier) return { preview: await previewAgain(database, earlier, bytes), isReplayed: true };
      const renewal = setInterval(() => void renew(database, id).catch(() => {}), RENEW_EVERY_MS);
      try {
        const maxEmails = maxEmailsOf(caller.plan, limits.maxEmailsPerFile);
        const intake = await takeIn(database, id, bytes, {
          maxEmails,
          maxRows: Math.max(MIN_MAX_ROWS, ROWS_PER_EMAIL * maxEmails),
          maxTextBytes: TEXT_PER_BYTE * limits.maxUploadBytes,
        });
        return { preview: await finish(database, id, intake), isReplayed: false };
      } catch (error) {
        // If this fails too, it expires.
        await database.orm
          .delete(uploads)
          .where(eq(uploads.id, id))
          .catch(() => {});
        throw error;
      } finally {
        clearInterval(renewal);
      }
    },
    confirm: (caller, confirmation, beforeCommit) => confirmUpload(deps, caller, confirmation, beforeCommit),
    eraseExpired: () => eraseExpiredUploads(database),
  };
}

type Beginning = { id: string; caller: Caller; filename: string; onceKey: string | undefined };

/** Makes room for a new upload; or finds the one that was sent under the same name before. */
async function begin({ pool, orm }: Database, beginning: Beginning): Promise<UploadRow | undefined> {
  const { id, caller, filename, onceKey } = beginning;
  const isItsName = and(eq(uploads.accountId, caller.accountId), eq(uploads.onceKey, onceKey ?? ""));
  if (onceKey !== undefined)
    await orm.delete(uploads).where(and(isItsName, lte(uploads.expiresAt, sql`now()`)));
  const values = [id, caller.accountId, filename, onceKey ?? null];
  if ((await pool.query({ ...BEGIN, values })).rowCount === 1) return undefined;
  const [earlier] = onceKey === undefined ? [] : await orm.select().from(uploads).where(isItsName);
  if (!earlier) {
    const why = `${MAX_UNCONFIRMED} uploads wait to be confirmed. Confirm one; each is erased after ${UNCONFIRMED_HOURS} hours.`;
    throw new Refusal("too_many_uploads", why, { retryAfterSeconds: TOO_MANY_RETRY_SECONDS });
  }
  if (earlier.readyAt !== null) return earlier;
  const why = "The first upload with this Idempotency-Key is still under way.";
  throw new Refusal("idempotency_in_flight", why, { retryAfterSeconds: 1 });
}

const BEGIN = {
  name: "begin-upload",
  text: `
    insert into uploads (id, account_id, filename, once_key, expires_at)
    select $1, $2, $3, $4, now() + interval '${LEASE_SECONDS} seconds'
    where (select count(*) from uploads where account_id = $2 and expires_at > now()) < ${MAX_UNCONFIRMED}
    on conflict (account_id, once_key) where once_key is not null do nothing`,
};

/** The same file gets the same answer. It is read, to see that it is the same, and not stored again. */
async function previewAgain(
  database: Database,
  row: UploadRow,
  bytes: AsyncIterable<Uint8Array>,
): Promise<UploadPreview> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) hash.update(chunk);
  if (!row.contentHash?.equals(hash.digest())) {
    throw new Refusal("idempotency_key_reused", "This Idempotency-Key came with a different file before.");
  }
  const counted = await database.orm.select().from(uploadCensuses).where(eq(uploadCensuses.uploadId, row.id));
  return uploadPreview(row, new Map(counted.map(({ column, uniqueEmails }) => [column, uniqueEmails])));
}

async function renew({ orm }: Database, id: string): Promise<void> {
  await orm
    .update(uploads)
    .set({ expiresAt: sql`now() + interval '${sql.raw(String(LEASE_SECONDS))} seconds'` })
    .where(and(eq(uploads.id, id), isNull(uploads.readyAt)));
}

/** All of it is here: from now on it can be confirmed. */
async function finish({ orm }: Database, id: string, intake: Intake): Promise<UploadPreview> {
  const { censuses, header, ...rest } = intake;
  const counted = [...censuses].flatMap(([column, { emails, unique }]) =>
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
    if (!row) throw new Error("An upload was erased while it came in.");
    if (counted.length > 0) await tx.insert(uploadCensuses).values(counted).onConflictDoNothing();
    return uploadPreview(row, new Map(counted.map(({ column, uniqueEmails }) => [column, uniqueEmails])));
  });
}
