ALTER TABLE "uploads" ADD COLUMN "is_test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "is_test" boolean DEFAULT false NOT NULL;