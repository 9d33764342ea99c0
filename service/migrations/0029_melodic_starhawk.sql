ALTER TABLE "slices" ADD COLUMN "waits_for" text;--> statement-breakpoint
ALTER TABLE "slices" ADD COLUMN "refused_since" timestamp with time zone;