ALTER TABLE "jobs" ADD COLUMN "attempt" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "recheck" json;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "settled_emails" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "free_emails" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "free_processed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "previous_status" text;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "previous_sub_status" text;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "attempt" smallint;--> statement-breakpoint
ALTER TABLE "slices" ADD COLUMN "is_recheck" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "slices" ADD COLUMN "is_free" boolean DEFAULT false NOT NULL;