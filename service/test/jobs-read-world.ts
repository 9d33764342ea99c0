/** The job routes on a real database, listening on loopback, with jobs inserted into the tables directly. */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { API_PREFIX, STATUS_OF, type SubStatus } from "@mailvet/contract";
import { readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { eq } from "drizzle-orm";
import { accounts } from "../src/accounts/schema.ts";
import { createSessions } from "../src/accounts/sessions.ts";
import type { Owner } from "../src/base/caller.ts";
import { createLog } from "../src/base/log.ts";
import { createLedger } from "../src/credits/ledger.ts";
import { createPubSub, notify } from "../src/db/pubsub.ts";
import { type DownloadRequest, jobDownload } from "../src/downloads/job-download.ts";
import { buildApp } from "../src/http/app.ts";
import type { HttpSettings } from "../src/http/http-settings.ts";
import { createMetrics } from "../src/http/metrics.ts";
import { createCredentialWatch } from "../src/http/middleware/credential-watch.ts";
import { createSessionCookie } from "../src/http/middleware/session-cookie.ts";
import { type JobRouteDeps, jobRoutes } from "../src/http/routes/job-routes.ts";
import { createIdempotentResponses } from "../src/idempotency/idempotent-responses.ts";
import { createJobActions } from "../src/jobs/job-actions.ts";
import { createJobTransitions } from "../src/jobs/job-transitions.ts";
import { createJobWatch, JOB_PROGRESS_CHANNEL, JOBS_CHANNEL } from "../src/jobs/job-watch.ts";
import { createRecheckJob } from "../src/jobs/recheck/recheck.ts";
import { duplicates, jobCounts, jobs, results } from "../src/jobs/schema.ts";
import { createApiKeys } from "../src/keys/api-keys.ts";
import { createOperatorKeys } from "../src/keys/operator-keys.ts";
import { createAccountLimits } from "../src/request-limits/account-limits.ts";
import { uploads } from "../src/uploads/schema.ts";
import { createUploadFiles } from "../src/uploads/upload-files.ts";
import { openClaims } from "./claims.ts";
import { chargingOn } from "./credits-books.ts";
import { openTestDatabase } from "./database.ts";
import { PATIENT_HTTP } from "./patience.ts";

export type JobsWorld = Awaited<ReturnType<typeof openJobsWorld>>;
export type WantedJob = Partial<typeof jobs.$inferInsert> & {
  header?: string[] | null;
  columns?: string[];
  delimiter?: string;
  rows?: string[][];
  /** Email in lower case → sub-status. Other emails have no verdict. */
  verdicts?: Record<string, SubStatus>;
};

export async function openJobsWorld(settings: Partial<HttpSettings> = {}) {
  const database = await openTestDatabase();
  const notices = createPubSub(database.connection, { log: () => {} });
  const credentialWatch = createCredentialWatch({ notices });
  const watch = createJobWatch({ database, pubsub: notices });
  const keyring = createApiKeys({ database, notices });
  await notices.start();
  const ledger = createLedger({ database });
  const failures: unknown[] = [];
  const { tasks } = openClaims(database);
  const transitions = createJobTransitions({
    database,
    tasks,
    publish: async () => {},
    retentionDays: 30,
    unknownRefund: "own_fault",
  });
  const files = createUploadFiles({ pool: database.pool, blobs: database.blobs });
  const { inspect } = verifierFrom(readEngineSettings(settingsFrom({})));
  const deps: JobRouteDeps = {
    database,
    files,
    watch,
    inspect,
    actions: createJobActions({ database, tasks, files, transitions, retentionDays: 30 }),
    recheckJob: createRecheckJob({ database, transitions }),
    log: { event: (_, fields) => failures.push(fields?.err) },
  };
  const app = buildApp({
    accountLimits: createAccountLimits(),
    settings: { ...PATIENT_HTTP, ...settings },
    pool: database.pool,
    apiKeys: keyring,
    operatorKeys: createOperatorKeys({ database }),
    sessions: createSessions({ database }),
    credentialWatch,
    cookie: createSessionCookie(undefined),
    idempotentResponses: createIdempotentResponses(database),
    ...chargingOn(database, ledger),
    log: createLog({ level: "silent", addresses: "masked" }),
    metrics: createMetrics(),
    version: "0.0.0",
    routes: [jobRoutes(deps)],
  });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  let isClosed = false;

  async function account(plan: "payg" | "enterprise" = "enterprise") {
    const email = `${randomUUID()}@shop.example`;
    const [row] = await database.orm.insert(accounts).values({ email, plan }).returning();
    const accountId = row!.id;
    await database.orm.transaction((tx) => ledger.open(tx, accountId, 100, "opened"));
    const { text } = await keyring.create(accountId, {
      name: "test",
      mode: "live",
      scopes: ["bulk", "read"],
      expiresAt: undefined,
    });
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${origin}${API_PREFIX}${path}`, { ...init, headers: { "x-api-key": text, ...init.headers } });
    /** A response of which only the headers were read; destroying it closes the connection. */
    const begin = async (path: string): Promise<IncomingMessage> => {
      const asked = get(`${origin}${API_PREFIX}${path}`, { headers: { "x-api-key": text }, agent: false });
      return (await once(asked, "response"))[0];
    };
    return { accountId, ask, begin, addJob: (wanted?: WantedJob) => addJob(accountId, wanted) };
  }

  async function addJob(accountId: string, wanted: WantedJob = {}): Promise<string> {
    const { header = null, columns = ["email"], delimiter = ",", rows = [], verdicts = {}, ...row } = wanted;
    const { id = randomUUID(), uploadId = randomUUID(), columnNumber = 0 } = row;
    const firstRows = new Map<string, number>();
    const repeated: (typeof duplicates.$inferInsert)[] = [];
    rows.forEach((cells, n) => {
      const email = cells[columnNumber] ?? "";
      const firstRow = firstRows.get(email.toLowerCase());
      if (email === "") return;
      if (firstRow === undefined) firstRows.set(email.toLowerCase(), n + 1);
      else repeated.push({ jobId: id, row: n + 1, firstRow, email });
    });
    const judged = [...firstRows].flatMap(([email, at]) => {
      const subStatus = verdicts[email];
      const spelled = rows[at - 1]?.[columnNumber] ?? "";
      return subStatus === undefined ? [] : [resultRow(id, at, spelled, subStatus)];
    });
    await database.orm.insert(uploads).values({
      id: uploadId,
      accountId,
      filename: row.filename ?? "list.csv",
      header,
      columns,
      delimiter,
      totalRows: rows.length,
      expiresAt: new Date(Date.now() + 86_400_000),
    });
    const parts = files.write(uploadId);
    for (let n = 0; n * 1000 < rows.length; n++) {
      const part = { number: n, firstRow: n * 1000 + 1, rows: rows.slice(n * 1000, (n + 1) * 1000) };
      await parts.add(part, new Map());
    }
    const stored = await parts.finish();
    await database.orm.update(uploads).set(stored).where(eq(uploads.id, uploadId));
    await database.orm.insert(jobs).values({
      id,
      accountId,
      uploadId,
      isTest: false,
      status: "completed",
      filename: "list.csv",
      emailColumn: columns[columnNumber]!,
      columnNumber,
      totalRows: rows.length,
      totalEmails: firstRows.size + repeated.length,
      uniqueEmails: firstRows.size,
      processed: judged.length,
      ...row,
    });
    if (judged.length > 0) await database.orm.insert(results).values(judged);
    if (repeated.length > 0) await database.orm.insert(duplicates).values(repeated);
    for (const subStatus of new Set(judged.map((one) => one.subStatus))) {
      const count = judged.filter((one) => one.subStatus === subStatus).length;
      await database.orm.insert(jobCounts).values({ jobId: id, subStatus, count });
    }
    return id;
  }

  /** Changes a job's row and notifies watchers. */
  async function change(jobId: string, assignments: string): Promise<void> {
    await database.pool.query(`update jobs set ${assignments} where id = $1`, [jobId]);
    const channel = assignments.includes("status") ? JOBS_CHANNEL : JOB_PROGRESS_CHANNEL;
    await notify(database.pool, channel, jobId);
  }

  const stop = async () => {
    if (isClosed) return;
    isClosed = true;
    await app.close();
  };
  const close = async () => {
    await stop();
    watch.close();
    await ledger.close();
    await keyring.close();
    await notices.close();
    await database.close();
  };
  const download = (owner: Owner, jobId: string, wanted: DownloadRequest) =>
    jobDownload(deps, owner, jobId, wanted);
  return {
    database,
    url: origin,
    failures,
    account,
    download,
    change,
    stop,
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function resultRow(
  jobId: string,
  row: number,
  email: string,
  subStatus: SubStatus,
): typeof results.$inferInsert {
  const status = STATUS_OF[subStatus];
  const isValid = status === "valid";
  return {
    jobId,
    row,
    email,
    status,
    subStatus,
    confidence: 0.95,
    score: isValid ? 97 : 2,
    isValid,
    safeToSend: isValid,
    suggestion: null,
    provider: "other",
    isCatchall: false,
    isDisposable: false,
    isRoleBased: false,
    isFree: false,
    smtpCode: isValid ? 250 : 550,
    checkedAt: new Date("2026-11-15T10:00:00.123Z"),
  };
}
