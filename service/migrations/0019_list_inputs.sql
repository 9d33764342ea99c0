ALTER TABLE "jobs" ADD COLUMN "more_columns" json DEFAULT '[]'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "metadata" json;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "level" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "sheet" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "sheets" json;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "is_group" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "job_id" uuid;