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
CREATE TABLE "notification_settings" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"job_emails" boolean NOT NULL,
	"low_credits_threshold" bigint,
	"is_low_notified" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outgoing_emails" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "key_id" uuid;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "credits_refunded" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "attempt" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "recheck" json;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "settled_emails" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "free_emails" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "free_processed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "is_kept" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "previous_status" text;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "previous_sub_status" text;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "attempt" smallint;--> statement-breakpoint
ALTER TABLE "slices" ADD COLUMN "is_recheck" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "slices" ADD COLUMN "is_free" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "saved_lists" ADD CONSTRAINT "saved_lists_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outgoing_emails" ADD CONSTRAINT "outgoing_emails_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "saved_lists_account_id_index" ON "saved_lists" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "saved_lists_next_run_at_index" ON "saved_lists" USING btree ("next_run_at");--> statement-breakpoint
CREATE INDEX "outgoing_emails_due_at_index" ON "outgoing_emails" USING btree ("due_at");