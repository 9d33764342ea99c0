/** POST /bulk/upload/preview: a file in, what is in it out. POST /bulk/upload/confirm: a job comes of it. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ConfirmRequest, Job, UploadPreview } from "@mailvet/contract";
import type { ConfirmUpload } from "../../jobs/confirm-upload.ts";
import type { Uploads } from "../../uploads/uploads.ts";
import { createConcurrencyLimit } from "../middleware/concurrency-limit.ts";
import { REPLAYED, requestName, storeAnswer } from "../middleware/idempotency.ts";
import { fileOf, letTheRestPass, takeForms } from "./multipart-file.ts";
import { shutdownSignal } from "./shutdown-signal.ts";
import "../route-config.ts";

export type UploadRouteDeps = {
  uploads: Pick<Uploads, "preview">;
  confirmUpload: ConfirmUpload;
  maxUploadBytes: number;
};

/** Each takes memory and a database connection of its own, and a slow sender has its place for long. */
const PLACES = { what: "uploads", perAccount: 2, inAll: 32 };

export const uploadRoutes =
  ({ uploads, confirmUpload, maxUploadBytes }: UploadRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const places = createConcurrencyLimit(PLACES);
    const stopping = shutdownSignal(app);

    app.register(async (forms) => {
      await takeForms(forms);
      forms.post(
        "/bulk/upload/preview",
        {
          schema: {
            operationId: "previewUpload",
            tags: ["jobs"],
            summary: "Send a file of emails",
            description:
              "CSV or similar text, also gzipped, in the form field `file`. It costs nothing; what is not confirmed within 24 hours is erased. The same `Idempotency-Key` with the same file gets the same upload.",
            response: { 200: UploadPreview },
          },
          config: {
            access: { scope: "bulk" },
            consumes: "multipart/form-data",
            idempotency: "by_route", // what counts is the file, and that is not in memory
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
          const leave = places.take(request.caller!.accountId);
          try {
            const idempotencyKey = requestName(request);
            const file = await fileOf(request, maxUploadBytes, stopping);
            const { preview, isReplayed } = await uploads.preview(request.caller!, {
              ...file,
              idempotencyKey,
            });
            if (isReplayed) reply.header(REPLAYED, "true");
            return preview;
          } finally {
            leave();
            letTheRestPass(request.raw, maxUploadBytes);
          }
        },
      );
    });

    app.post(
      "/bulk/upload/confirm",
      {
        schema: {
          operationId: "confirmUpload",
          tags: ["jobs"],
          summary: "Validate an upload",
          description:
            "Holds one credit for each unique email of the column, and starts the job. Confirming the same upload again returns the same job.",
          body: ConfirmRequest,
          response: { 200: Job },
        },
        config: {
          access: { scope: "bulk" },
          isBulk: true, // counting a column that was not counted before takes a while
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
          storeAnswer(request, reply, { status: 200 }),
        );
      },
    );
  };
