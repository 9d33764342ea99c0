ALTER TABLE "jobs" ADD COLUMN "progressed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "evidence_row" integer;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "evidence" json;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "own_evidence" json;--> statement-breakpoint
ALTER TABLE "slices" ADD COLUMN "waiting" json;--> statement-breakpoint
ALTER TABLE "slices" ADD COLUMN "due_at" timestamp with time zone;