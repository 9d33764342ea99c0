ALTER TABLE "accounts" ADD COLUMN "invited_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspended_reason" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "erasing_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "mail_tokens" ADD COLUMN "new_email" text;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "is_suspended" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "accounts_created_at_id_index" ON "accounts" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "jobs_created_at_id_index" ON "jobs" USING btree ("created_at","id");