DROP INDEX "uploads_account_id_index";--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "stored_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "uploads_account_id_index" ON "uploads" USING btree ("account_id") WHERE "uploads"."erased_at" is null;