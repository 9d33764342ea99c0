/**
 * Everything an account has, as a ZIP file of JSON and CSV: the account, its sessions and passkeys, its keys without their
 * secrets, its webhook endpoints without theirs and their deliveries, its uploads that wait for confirmation, its jobs with
 * their results, single checks that wait for a retry, its saved lists, its notification settings, its ledger and usage, the
 * report on its delivery outcomes, and its audit log. Written while it is read.
 */
import type { LedgerEntry, OperatorAccount, UsageDay } from "@mailvet/contract";
import { csvRecord } from "@mailvet/engine/list-file";
import type { Accounts } from "../accounts/accounts.ts";
import type { PasskeyRecord } from "../accounts/second-factors/passkeys.ts";
import type { SessionRecord, Sessions } from "../accounts/sessions.ts";
import { type AuditLog, forOwner } from "../audit/audit-log.ts";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { UsageFilter } from "../credits/usage.ts";
import { type DownloadDeps, jobDownload } from "../downloads/job-download.ts";
import { type ZipEntry, zipArchive } from "../downloads/zip-archive.ts";
import type { Feedback } from "../feedback/feedback.ts";
import { allJobsOf } from "../jobs/job-list.ts";
import { type ApiKeys, presentKey } from "../keys/api-keys.ts";
import type { Lists } from "../lists/lists.ts";
import type { Notifications } from "../notifications/notifications.ts";
import { type UploadRow, uploadPreview } from "../uploads/upload-preview.ts";
import type { Uploads } from "../uploads/uploads.ts";
import type { Rechecks } from "../validations/rechecks.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";

export type AccountExportDeps = DownloadDeps & {
  apiKeys: Pick<ApiKeys, "list">;
  webhooks: Pick<Webhooks, "all" | "allDeliveries">;
  uploads: Pick<Uploads, "unconfirmed">;
  rechecks: Pick<Rechecks, "waiting">;
  lists: Pick<Lists, "all">;
  notifications: Pick<Notifications, "settingsOf">;
  sessions: Pick<Sessions, "list">;
  accounts: Pick<Accounts, "listPasskeys">;
  feedback: Pick<Feedback, "summarize">;
  auditLog: Pick<AuditLog, "all">;
  ledger: Pick<Ledger, "page">;
  usageOf(accountId: string, wanted: UsageFilter): Promise<UsageDay[]>;
};

const ENTRIES_AT_ONCE = 500;
/** After a time slice of 2 ms: a request of others meets few of them. */
const REST_MS = 10;
const ALL_DAYS = { from: "1970-01-01", to: "9999-12-31", keyId: undefined };

export function createExportAccount(deps: AccountExportDeps) {
  return async (account: OperatorAccount): Promise<AsyncIterable<Buffer>> => {
    const { id: accountId } = account;
    const webhooks = await deps.webhooks.all(accountId);
    const endpointIds = webhooks.map(({ id }) => id);
    const usage = await deps.usageOf(accountId, ALL_DAYS);
    const jobs = await allJobsOf(deps.database, accountId);
    const uploads = await deps.uploads.unconfirmed(accountId);
    const listsOf = (isTest: boolean) => deps.lists.all({ accountId, isTest });
    return zipArchive([
      json("account", account),
      json("sessions", (await deps.sessions.list(accountId)).map(shownSession)),
      json("passkeys", (await deps.accounts.listPasskeys(accountId)).map(shownPasskey)),
      json("keys", (await deps.apiKeys.list(accountId)).map(presentKey)),
      json("webhooks", webhooks),
      { name: "deliveries.ndjson", content: deliveryLines(deps.webhooks, accountId, endpointIds) },
      json("waiting-checks", await deps.rechecks.waiting(accountId)),
      json("notifications", await deps.notifications.settingsOf(accountId)),
      json("lists", [...(await listsOf(false)), ...(await listsOf(true))]),
      {
        name: "usage.csv",
        content: Buffer.from(csvRecord(USAGE) + usage.map((day) => csvOf(day, USAGE)).join("")),
      },
      { name: "ledger.csv", content: ledgerCsv(deps.ledger, accountId) },
      json("outcomes", await deps.feedback.summarize({ accountId, isTest: false })),
      { name: "audit.ndjson", content: auditLines(deps.auditLog, accountId) },
      json(
        "jobs",
        jobs.map(({ job }) => job),
      ),
      ...jobs
        .filter(({ job }) => job.results_url !== null || job.completed_at === null)
        .map(({ job: { id }, isTest }) => ({
          name: `results/${id}.csv`,
          content: resultsCsv(deps, { accountId, isTest }, id),
        })),
      json(
        "uploads",
        uploads.map((upload) => uploadPreview(upload, new Map())),
      ),
      ...uploads.map((upload) => ({ name: `uploads/${upload.id}.csv`, content: rowsCsv(deps, upload) })),
    ]);
  };
}

const USAGE = ["date", "key_id", "valid", "invalid", "risky", "unknown", "credits_used"] as const;
const LEDGER = [
  "id",
  "kind",
  "amount",
  "reserved_change",
  "balance_after",
  "reference",
  "reference_kind",
  "created_at",
] as const;

function json(name: string, document: unknown): ZipEntry {
  return { name: `${name}.json`, content: Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`) };
}

function csvOf<Column extends string>(
  row: Readonly<Record<Column, string | number | null>>,
  columns: readonly Column[],
): string {
  return csvRecord(columns.map((column) => row[column]));
}

const shownSession = ({ id, userAgent, ip, createdAt, lastSeenAt }: SessionRecord) => ({
  id,
  user_agent: userAgent,
  ip,
  created_at: createdAt,
  last_seen_at: lastSeenAt,
});

const shownPasskey = ({ id, name, createdAt }: PasskeyRecord) => ({ id, name, created_at: createdAt });

async function* auditLines(
  auditLog: AccountExportDeps["auditLog"],
  accountId: string,
): AsyncGenerator<string> {
  for await (const entries of auditLog.all({ accountId }))
    yield entries.map((entry) => `${JSON.stringify(forOwner(entry))}\n`).join("");
}

async function* deliveryLines(
  webhooks: AccountExportDeps["webhooks"],
  accountId: string,
  endpointIds: readonly string[],
): AsyncGenerator<string> {
  for (const id of endpointIds) {
    for await (const deliveries of webhooks.allDeliveries(accountId, id))
      yield deliveries.map((delivery) => `${JSON.stringify({ webhook_id: id, ...delivery })}\n`).join("");
  }
}

async function* rowsCsv({ database, files }: DownloadDeps, upload: UploadRow): AsyncGenerator<string> {
  if (upload.header) yield csvRecord(upload.header);
  for await (const { rows } of files.read(database.pool, upload))
    yield rows.map((row) => csvRecord(row)).join("");
}

/** Newest first. Entries that are added meanwhile shift the pages, so each continues below the last number. */
async function* ledgerCsv(ledger: AccountExportDeps["ledger"], accountId: string): AsyncGenerator<string> {
  yield csvRecord(LEDGER);
  let below = Number.POSITIVE_INFINITY;
  let entries: LedgerEntry[];
  for (let skip = 0; ; skip += entries.length) {
    ({ entries } = await ledger.page(accountId, { skip, limit: ENTRIES_AT_ONCE }));
    if (entries.length === 0) return;
    for (const entry of entries) if (Number(entry.id) < below) yield csvOf(entry, LEDGER);
    below = Number(entries.at(-1)!.id);
  }
}

/** Empty if the job was deleted, or its results have expired, since the export began. */
async function* resultsCsv(deps: DownloadDeps, owner: Owner, jobId: string): AsyncGenerator<string | Buffer> {
  const download = await jobDownload(deps, owner, jobId, { format: "csv", restMs: REST_MS }).catch(
    (error: unknown) => {
      if (error instanceof Refusal) return undefined;
      throw error;
    },
  );
  if (download) yield* download.content;
}
