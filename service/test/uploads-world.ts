/** Uploads on a database of their own, up to the planned job. */
import { randomUUID } from "node:crypto";
import type { Plan } from "@mailvet/contract";
import { accounts } from "../src/accounts/schema.ts";
import type { Caller } from "../src/base/caller.ts";
import type { BlobStore } from "../src/blobs/blob-store.ts";
import { createLedger } from "../src/credits/ledger.ts";
import { createConfirmUpload } from "../src/jobs/confirm-upload.ts";
import { createJobTransitions } from "../src/jobs/job-transitions.ts";
import { planHandler } from "../src/jobs/slice-planner.ts";
import type { Task } from "../src/queue/task.ts";
import { createUploadFiles } from "../src/uploads/upload-files.ts";
import { createUploads } from "../src/uploads/uploads.ts";
import { openClaims } from "./claims.ts";
import { openTestDatabase } from "./database.ts";
import { recordEvents } from "./recorded-events.ts";

/** A list of one file. */
export async function* fileOf(bytes: AsyncIterable<Uint8Array>) {
  yield { filename: "list.csv", bytes };
}

export type IntakeWorld = Awaited<ReturnType<typeof openIntakeWorld>>;

export async function openIntakeWorld(
  limits: { maxEmailsPerFile?: number; maxUploadBytes?: number } = {},
  otherBlobs?: BlobStore,
) {
  const database = await openTestDatabase();
  const ledger = createLedger({ database });
  const claims = openClaims(database);
  const { tasks } = claims;
  const allLimits = { maxEmailsPerFile: 100_000, maxUploadBytes: 10_000_000, ...limits };
  const blobs = otherBlobs ?? database.blobs;
  const { log, events } = recordEvents();
  const files = createUploadFiles({ pool: database.pool, blobs, log });
  const uploads = createUploads({ database, files, limits: allLimits });
  const transitions = createJobTransitions({
    database,
    tasks,
    publish: async () => {},
    retentionDays: 30,
    unknownRefund: "own_fault",
  });
  const confirm = createConfirmUpload({
    database,
    files,
    transitions,
    limits: allLimits,
    retentionDays: 30,
  });
  const planned: string[] = [];
  const afterWindow = { do: () => {} };
  const plan = planHandler({
    database,
    files,
    tasks: {
      ...tasks,
      async add(tx, added) {
        await tasks.add(tx, added);
        afterWindow.do();
      },
    },
    transitions: { ...transitions, finishIfDone: async (_tx, jobId) => void planned.push(jobId) },
  });
  const close = async () => {
    await ledger.close();
    await database.close();
  };

  async function account({ plan = "payg" as Plan, credits = 1_000_000 } = {}): Promise<Caller> {
    const accountId = randomUUID();
    await database.orm.transaction(async (tx) => {
      await tx.insert(accounts).values({ id: accountId, email: `${accountId}@example.com`, plan });
      await ledger.open(tx, accountId, credits, "welcome");
    });
    const by = { kind: "key", keyId: randomUUID(), scopes: ["bulk"] } as const;
    return { accountId, isTest: false, plan, isOperator: false, by };
  }

  return {
    database,
    ledger,
    blobs,
    files,
    /** Logged about files. */
    events,
    uploads,
    confirm,
    tasks,
    transitions,
    lose: claims.lose,
    /** Jobs whose planning is complete. */
    planned,
    /** Called after each window, just before its commit. */
    afterWindow,
    account,
    preview: async (caller: Caller, text: string | Buffer, idempotencyKey?: string) =>
      (await uploads.preview(caller, { filename: "list.csv", files: fileOf(inChunks(text)), idempotencyKey }))
        .preview,
    /** Claims the plan task of this job. */
    async claimPlan(jobId: string): Promise<Task> {
      const task = (await claims.claim("plan")).find(({ groupId }) => groupId === jobId);
      if (!task) throw new Error("no plan task waits");
      return task;
    },
    plan: (task: Task, signal: AbortSignal = new AbortController().signal) => plan(task, signal),
    query: async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
      (await database.pool.query(text, values)).rows,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const CHUNK_BYTES = 64 * 1024;

export async function* inChunks(text: string | Buffer): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** A CSV table with a header; `emailAt` gives the cell of the second column. */
export function tableOf(rows: number, emailAt: (row: number) => string): string {
  const lines = ["name,email,city"];
  for (let row = 1; row <= rows; row++) lines.push(`Name ${row},${emailAt(row)},Town ${row % 50}`);
  return `${lines.join("\n")}\n`;
}
