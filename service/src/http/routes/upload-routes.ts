/** POST /bulk/upload/preview: upload a file and get a preview; /estimate: what to expect; /confirm: start a job with it. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ConfirmRequest, Job, UploadEstimate, UploadPreview } from "@mailvet/contract";
import { ACCOUNT_LIMITS } from "../../accounts/plans.ts";
import { createConcurrencyLimit } from "../../base/concurrency-limit.ts";
import type { ConfirmUpload } from "../../jobs/confirm-upload.ts";
import type { EstimateUpload } from "../../uploads/estimate.ts";
import type { Uploads } from "../../uploads/uploads.ts";
import { REPLAYED, requestName, storeResponse } from "../middleware/idempotency.ts";
import { acceptForms, drainBody, readFile } from "./multipart-file.ts";
import { shutdownSignal } from "./shutdown-signal.ts";
import "../route-config.ts";

export type UploadRouteDeps = {
  uploads: Pick<Uploads, "preview">;
  confirmUpload: ConfirmUpload;
  estimateUpload: EstimateUpload;
  maxUploadBytes: number;
};

/** Each upload takes memory and a database connection, and a slow client holds them for long. */
const CONCURRENCY = { what: "uploads", perAccount: ACCOUNT_LIMITS.concurrent_uploads, total: 32 };

export const uploadRoutes =
  ({ uploads, confirmUpload, estimateUpload, maxUploadBytes }: UploadRouteDeps): FastifyPluginAsyncTypebox =>
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
              "Uploads a list as CSV or similar text, optionally gzipped, in the form field `file`, and returns a preview. Free of charge. An upload that is not confirmed within 24 hours is deleted. The same `Idempotency-Key` with the same file returns the same upload.",
            response: { 200: UploadPreview },
          },
          config: {
            access: { scope: "bulk" },
            consumes: "multipart/form-data",
            idempotency: "by_route", // the request is identified by the file, which is streamed
            problems: [
              "validation_failed",
              "empty_file",
              "not_a_table",
              "unsupported_file",
              "undecodable_file",
              "compression_bomb",
              "no_emails_found",
              "too_many_rows",
              "too_many_emails",
              "too_many_uploads",
            ],
          },
        },
        async (request, reply) => {
          const release = slots.acquire(request.caller!.accountId);
          try {
            const idempotencyKey = requestName(request);
            const file = await readFile(request, maxUploadBytes, stopping);
            const { preview, isReplayed } = await uploads.preview(request.caller!, {
              ...file,
              idempotencyKey,
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
        return estimateUpload(request.caller!, { uploadId, emailColumn });
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
            "Reserves one credit per unique email in the column and starts a job. Confirming the same upload again returns the same job.",
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
        const { upload_id: uploadId, email_column: emailColumn } = request.body;
        return confirmUpload(
          request.caller!,
          { uploadId, emailColumn },
          storeResponse(request, reply, { status: 200 }),
        );
      },
    );
  };
