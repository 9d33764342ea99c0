/**
 * POST /bulk/upload/preview, /bulk/upload/link: upload a list and get a preview. POST /bulk/upload/estimate: what to expect of
 * it. POST /bulk/upload/confirm: start a job with it. POST /bulk/jobs: all in one request, with a list in JSON.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  ConfirmRequest,
  CreateJobOptions,
  CreateJobRequest,
  Job,
  LinkRequest,
  PreviewQuery,
  UploadEstimate,
  UploadPreview,
} from "@mailvet/contract";
import type { FastifyInstance } from "fastify";
import { ACCOUNT_LIMITS } from "../../accounts/plans.ts";
import { createConcurrencyLimit } from "../../base/concurrency-limit.ts";
import type { ConfirmUpload } from "../../jobs/confirm-upload.ts";
import { only, type StartListJob } from "../../jobs/start/start-list-job.ts";
import { GROUP_FILES } from "../../uploads/email-limit.ts";
import type { EstimateUpload } from "../../uploads/estimate.ts";
import { readJsonList } from "../../uploads/json-list.ts";
import type { DownloadLink, LinkedFile } from "../../uploads/link-download.ts";
import type { Uploads } from "../../uploads/uploads.ts";
import { REPLAYED, requestName, storeResponse } from "../middleware/idempotency.ts";
import { acceptForms, drainBody, plainBytes, readFiles, type UploadedFile } from "../multipart-file.ts";
import { compileValidator } from "../request-validator.ts";
import { shutdownSignal } from "../shutdown-signal.ts";
import "../route-config.ts";

export type UploadRouteDeps = {
  uploads: Pick<Uploads, "preview">;
  confirmUpload: ConfirmUpload;
  startListJob: StartListJob;
  estimateUpload: EstimateUpload;
  downloadLink: DownloadLink;
  maxUploadBytes: number;
};

/** Each upload takes memory and a database connection, and a slow client holds them for long. */
const CONCURRENCY = { what: "uploads", perAccount: ACCOUNT_LIMITS.concurrent_uploads, total: 32 };

export const uploadRoutes =
  ({
    uploads,
    confirmUpload,
    startListJob,
    estimateUpload,
    downloadLink,
    maxUploadBytes,
  }: UploadRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const slots = createConcurrencyLimit(CONCURRENCY);
    const stopping = shutdownSignal(app);

    app.register(async (forms) => {
      await acceptForms(forms);
      forms.post(
        "/bulk/upload/preview",
        {
          schema: {
            operationId: "previewUpload",
            tags: ["jobs"],
            summary: "Upload a file",
            description:
              "Uploads a list in the form field `file`, and returns a preview: CSV or similar text, optionally gzipped, or a sheet of an XLSX or ODS file. Free of charge. An upload that is not confirmed within 24 hours is deleted. The same `Idempotency-Key` with the same file returns the same upload.",
            querystring: PreviewQuery,
            response: { 200: UploadPreview },
          },
          config: {
            access: { scope: "bulk" },
            consumes: "multipart/form-data",
            idempotency: "by_route", // the request is identified by the file, which is streamed
            problems: FILE_PROBLEMS,
          },
        },
        async (request, reply) => {
          const release = slots.acquire(request.caller!.accountId);
          try {
            const { sheet, group: isMerged = false, split = false } = request.query as PreviewQuery;
            const limits = { maxBytes: maxUploadBytes, maxFiles: isMerged ? GROUP_FILES : 1 };
            const named = await namedFiles(readFiles(request, limits, stopping));
            const { preview, isReplayed } = await uploads.preview(request.caller!, {
              files: named.files,
              get filename() {
                return named.filename;
              },
              isMerged,
              isGroup: isMerged || split,
              sheet,
              identity: () => (sheet || isMerged || split ? JSON.stringify([sheet, isMerged, split]) : ""),
              idempotencyKey: requestName(request),
            });
            if (isReplayed) reply.header(REPLAYED, "true");
            return preview;
          } finally {
            release();
            drainBody(request.raw, maxUploadBytes);
          }
        },
      );
    });

    app.post("/bulk/upload/link", UPLOAD_LINK, async (request, reply) => {
      const caller = request.caller!;
      const release = slots.acquire(caller.accountId);
      let file: LinkedFile | undefined;
      try {
        const { url, sheet, split: isGroup = false } = request.body;
        file = await downloadLink({ url, isTest: caller.isTest }, stopping);
        const { preview, isReplayed } = await uploads.preview(caller, {
          filename: file.filename,
          files: only(file),
          pointer: "/url",
          isGroup,
          sheet,
          identity: () => JSON.stringify([url, sheet, isGroup]),
          idempotencyKey: requestName(request),
        });
        if (isReplayed) reply.header(REPLAYED, "true");
        return preview;
      } finally {
        release();
        file?.close();
      }
    });

    app.register(async (scope) => {
      streamJsonBodies(scope);
      scope.post("/bulk/jobs", CREATE_JOB, async (request, reply) => {
        const caller = request.caller!;
        const release = slots.acquire(caller.accountId);
        try {
          const body = plainBytes(request, maxUploadBytes, stopping);
          const list = readJsonList(body, OPTION_NAMES, checkJobOptions);
          const { job, isReplayed } = await startListJob(caller, {
            text: list.text,
            get pointer() {
              return list.pointer;
            },
            options: list.properties as CreateJobOptions,
            idempotencyKey: requestName(request),
          });
          if (isReplayed) reply.header(REPLAYED, "true");
          return reply.code(201).send(job);
        } finally {
          release();
          drainBody(request.raw, maxUploadBytes);
        }
      });
    });

    app.post(
      "/bulk/upload/estimate",
      {
        schema: {
          operationId: "estimateUpload",
          tags: ["jobs"],
          summary: "Estimate an upload",
          description:
            "Checks 200 random rows up to DNS, within ten seconds and free of charge, and returns the verdicts to expect and the cost of the list. Addresses that only a mail server can decide are `undecided`.",
          body: ConfirmRequest,
          response: { 200: UploadEstimate },
        },
        config: {
          access: { scope: "bulk" },
          isBulk: true,
          idempotency: false, // it changes nothing
          problems: ["upload_not_found", "upload_expired", "email_column_not_found"],
        },
      },
      (request) => {
        const { upload_id: uploadId, email_column: emailColumn } = request.body;
        const moreEmailColumns = request.body.more_email_columns;
        return estimateUpload(request.caller!, { uploadId, emailColumn, moreEmailColumns });
      },
    );

    app.post(
      "/bulk/upload/confirm",
      {
        schema: {
          operationId: "confirmUpload",
          tags: ["jobs"],
          summary: "Confirm an upload",
          description:
            "Reserves one credit per unique email in the column, or in all the columns, and starts a job. Confirming the same upload again returns the same job.",
          body: ConfirmRequest,
          response: { 200: Job },
        },
        config: {
          access: { scope: "bulk" },
          isBulk: true, // counting a column for the first time is expensive
          problems: [
            "insufficient_credits",
            "upload_not_found",
            "upload_expired",
            "email_column_not_found",
            "no_emails_found",
            "too_many_emails",
            "job_state_conflict",
            "too_many_active_jobs",
          ],
        },
      },
      async (request, reply) => {
        const { upload_id: uploadId, email_column: emailColumn, more_email_columns } = request.body;
        return confirmUpload(
          request.caller!,
          { uploadId, emailColumn, moreEmailColumns: more_email_columns },
          storeResponse(request, reply, { status: 200 }),
        );
      },
    );
  };

const FILE_PROBLEMS = [
  "validation_failed",
  "empty_file",
  "not_a_table",
  "unsupported_file",
  "undecodable_file",
  "compression_bomb",
  "sheet_not_found",
  "no_emails_found",
  "too_many_rows",
  "too_many_emails",
  "too_many_uploads",
  "storage_full",
] as const;

const UPLOAD_LINK = {
  schema: {
    operationId: "uploadLink",
    tags: ["jobs"],
    summary: "Upload a file by link",
    description:
      "Downloads a list from a public https URL and returns a preview, as if the file had been uploaded. Up to five redirects are followed. Free of charge.",
    body: LinkRequest,
    response: { 200: UploadPreview },
  },
  config: {
    access: { scope: "bulk" },
    idempotency: "by_route",
    problems: [...FILE_PROBLEMS, "link_rejected", "link_failed"],
  },
} as const;

const CREATE_JOB = {
  // The list is validated while it arrives (uploads/json-list.ts).
  validatorCompiler: (part: Parameters<typeof compileValidator>[0]) =>
    part.httpPart === "body" ? () => true : compileValidator(part),
  schema: {
    operationId: "createJob",
    tags: ["jobs"],
    summary: "Start a job with a list in JSON",
    description:
      "Takes `emails`, or `rows` with your own columns, up to the limits of a file, and starts the job directly. Reserves one credit per unique email.",
    body: CreateJobRequest,
    response: { 201: Job },
  },
  config: {
    access: { scope: "bulk" },
    idempotency: "by_route", // the request is identified by the list, which is streamed
    streamsJson: true,
    problems: [
      "validation_failed",
      "empty_file",
      "not_a_table",
      "no_emails_found",
      "too_many_rows",
      "too_many_emails",
      "too_many_uploads",
      "storage_full",
      "insufficient_credits",
      "email_column_not_found",
      "too_many_active_jobs",
      "webhook_url_rejected",
    ],
  },
} as const;

const OPTION_NAMES = Object.keys(CreateJobOptions.properties);
const validateOptions = compileValidator({
  schema: CreateJobOptions,
  httpPart: "body",
  method: "POST",
  url: "/bulk/jobs",
});

function checkJobOptions(properties: Readonly<Record<string, unknown>>): void {
  const { error } = validateOptions(properties) as { error?: Error };
  if (error) throw error;
}

/** JSON bodies of this scope are not parsed. */
function streamJsonBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", (_request, payload, done) => done(null, payload));
}

/** The files, and a name for all of them: that of the first, and how many more there are. The form is read up to the first. */
async function namedFiles(source: AsyncGenerator<UploadedFile>) {
  const first = (await source.next()).value as UploadedFile; // throws if there is none
  let count = 1;
  return {
    get filename() {
      return count > 1 ? `${first.filename} and ${count - 1} more` : first.filename;
    },
    files: (async function* () {
      yield first;
      for await (const file of source) {
        count++;
        yield file;
      }
    })(),
  };
}
