/** Starts a job with a list that arrives as text: the upload and its confirmation in one call. */
import type { CreateJobOptions, Job, UploadPreview } from "@mailvet/contract";
import type { Caller } from "../../base/caller.ts";
import { readJsonList } from "../../uploads/json-list.ts";
import type { Uploads } from "../../uploads/uploads.ts";
import type { Endpoints } from "../../webhooks/endpoints.ts";
import type { ConfirmUpload } from "../confirm-upload.ts";

export type ListToStart = {
  /** CSV with a header row. */
  text: AsyncIterable<Uint8Array>;
  /** Where the request has the list; known once the text is read. */
  readonly pointer: string;
  /** Complete once the text is read. */
  options: CreateJobOptions;
  /** Identifies the request across repetitions. */
  idempotencyKey?: string | undefined;
};

export type StartListJob = (caller: Caller, list: ListToStart) => Promise<{ job: Job; isReplayed: boolean }>;

export type StartListDeps = {
  uploads: Pick<Uploads, "preview" | "discard">;
  confirmUpload: ConfirmUpload;
  webhooks: Pick<Endpoints, "checkJobUrl" | "secretForJob">;
};

const DEFAULT_JOB_NAME = "list.json";

export function createStartListJob({ uploads, confirmUpload, webhooks }: StartListDeps): StartListJob {
  const start = async (caller: Caller, preview: UploadPreview, options: CreateJobOptions): Promise<Job> => {
    const { webhook_url: webhookUrl, metadata, level } = options;
    if (webhookUrl !== undefined) await webhooks.checkJobUrl(caller, webhookUrl);
    const job = await confirmUpload(caller, {
      uploadId: preview.upload_id,
      emailColumn: options.email_column ?? preview.suggested_email_column,
      moreEmailColumns: options.more_email_columns,
      metadata,
      level: level === "smtp" ? undefined : level,
      webhookUrl,
    });
    const secret = webhookUrl === undefined ? undefined : await webhooks.secretForJob(caller, job.id);
    return secret === undefined ? job : { ...job, webhook_secret: secret };
  };

  return async (caller, list) => {
    const { text, options, idempotencyKey } = list;
    const { preview, isReplayed } = await uploads.preview(caller, {
      get filename() {
        return options.name ?? DEFAULT_JOB_NAME;
      },
      files: only({ filename: undefined, bytes: text }),
      get pointer() {
        return list.pointer;
      },
      isStrict: true,
      identity: () => JSON.stringify(options),
      idempotencyKey,
    });
    const job = await start(caller, preview, options).catch(async (error) => {
      await uploads.discard(preview.upload_id);
      throw error;
    });
    return { job, isReplayed };
  };
}

/** A list that is in memory already, as the text of a list to start. */
export function textOfEmails(emails: readonly string[]): AsyncIterable<Uint8Array> {
  return readJsonList(only(Buffer.from(JSON.stringify({ emails }))), [], () => {}).text;
}

export async function* only<T>(item: T): AsyncGenerator<T> {
  yield item;
}
