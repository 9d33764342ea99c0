CREATE TABLE "blob_stores" (
	"is_single" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"claimed_at" timestamp with time zone,
	CONSTRAINT "blob_stores_single" CHECK ("blob_stores"."is_single")
);
--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "blob_count" integer;