-- Renames only: metadata changes that take no time on large tables. Processes of an earlier release must be stopped first.
ALTER TABLE "upload_censuses" RENAME TO "upload_column_indexes";--> statement-breakpoint
ALTER TABLE "upload_column_indexes" RENAME CONSTRAINT "upload_censuses_upload_id_column_pk" TO "upload_column_indexes_upload_id_column_pk";--> statement-breakpoint
ALTER TABLE "upload_column_indexes" RENAME CONSTRAINT "upload_censuses_upload_id_uploads_id_fk" TO "upload_column_indexes_upload_id_uploads_id_fk";--> statement-breakpoint
ALTER TABLE "upload_census_parts" RENAME TO "upload_column_index_parts";--> statement-breakpoint
ALTER TABLE "upload_column_index_parts" RENAME CONSTRAINT "upload_census_parts_upload_id_column_number_pk" TO "upload_column_index_parts_upload_id_column_number_pk";--> statement-breakpoint
ALTER TABLE "upload_column_index_parts" RENAME CONSTRAINT "upload_census_parts_upload_id_uploads_id_fk" TO "upload_column_index_parts_upload_id_uploads_id_fk";--> statement-breakpoint
ALTER TABLE "uploads" RENAME COLUMN "once_key" TO "idempotency_key";--> statement-breakpoint
ALTER INDEX "uploads_account_id_once_key_index" RENAME TO "uploads_account_id_idempotency_key_index";--> statement-breakpoint
ALTER TABLE "ledger" RENAME COLUMN "once_key" TO "idempotency_key";--> statement-breakpoint
ALTER INDEX "ledger_account_id_once_key_index" RENAME TO "ledger_account_id_idempotency_key_index";--> statement-breakpoint
ALTER TABLE "idempotent_answers" RENAME TO "idempotent_responses";--> statement-breakpoint
ALTER TABLE "idempotent_responses" RENAME COLUMN "sealed_body" TO "encrypted_body";--> statement-breakpoint
ALTER TABLE "idempotent_responses" RENAME CONSTRAINT "idempotent_answers_account_id_key_hash_pk" TO "idempotent_responses_account_id_key_hash_pk";--> statement-breakpoint
ALTER TABLE "idempotent_responses" RENAME CONSTRAINT "idempotent_answers_account_id_accounts_id_fk" TO "idempotent_responses_account_id_accounts_id_fk";--> statement-breakpoint
ALTER INDEX "idempotent_answers_expires_at_index" RENAME TO "idempotent_responses_expires_at_index";--> statement-breakpoint
ALTER TABLE "paces" RENAME TO "throttle_states";--> statement-breakpoint
ALTER INDEX "paces_pkey" RENAME TO "throttle_states_pkey";--> statement-breakpoint
ALTER TABLE "pace_places" RENAME TO "host_leases";--> statement-breakpoint
ALTER TABLE "host_leases" RENAME CONSTRAINT "pace_places_key_number_pk" TO "host_leases_key_number_pk";--> statement-breakpoint
ALTER INDEX "pace_places_process_id_index" RENAME TO "host_leases_process_id_index";--> statement-breakpoint
ALTER TABLE "pace_wishes" RENAME TO "host_waiters";--> statement-breakpoint
ALTER TABLE "host_waiters" RENAME CONSTRAINT "pace_wishes_key_process_id_pk" TO "host_waiters_key_process_id_pk";--> statement-breakpoint
ALTER INDEX "pace_wishes_process_id_index" RENAME TO "host_waiters_process_id_index";
