ALTER TABLE "job_counts" ADD COLUMN "unchecked" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "is_finishing" boolean DEFAULT false NOT NULL;