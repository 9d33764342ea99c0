CREATE TABLE "saved_lists" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"is_test" boolean NOT NULL,
	"job_id" uuid NOT NULL,
	"name" text NOT NULL,
	"tags" text[] NOT NULL,
	"schedule" text,
	"stale_after_days" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"next_run_at" timestamp with time zone,
	"last_run_at" timestamp with time zone,
	"last_error" text,
	"newly_invalid" integer DEFAULT 0 NOT NULL,
	"recovered" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "saved_lists_jobId_unique" UNIQUE("job_id")
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "is_kept" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "saved_lists" ADD CONSTRAINT "saved_lists_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "saved_lists_account_id_index" ON "saved_lists" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "saved_lists_next_run_at_index" ON "saved_lists" USING btree ("next_run_at");