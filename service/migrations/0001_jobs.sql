CREATE TABLE "duplicates" (
	"job_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"first_row" integer NOT NULL,
	"email" text NOT NULL,
	CONSTRAINT "duplicates_job_id_row_pk" PRIMARY KEY("job_id","row")
);
--> statement-breakpoint
CREATE TABLE "job_counts" (
	"job_id" uuid NOT NULL,
	"sub_status" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "job_counts_job_id_sub_status_pk" PRIMARY KEY("job_id","sub_status")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"upload_id" uuid NOT NULL,
	"key_id" uuid,
	"is_test" boolean NOT NULL,
	"status" text NOT NULL,
	"filename" text NOT NULL,
	"email_column" text NOT NULL,
	"column_number" integer NOT NULL,
	"total_rows" integer NOT NULL,
	"total_emails" integer NOT NULL,
	"unique_emails" integer NOT NULL,
	"planned_parts" integer DEFAULT 0 NOT NULL,
	"is_planned" boolean DEFAULT false NOT NULL,
	"retry_slices" integer DEFAULT 0 NOT NULL,
	"tried_once" integer DEFAULT 0 NOT NULL,
	"processed" integer DEFAULT 0 NOT NULL,
	"reservation_id" uuid,
	"credits_used" integer DEFAULT 0 NOT NULL,
	"error" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"paused_at" timestamp with time zone,
	"paused_ms" bigint DEFAULT 0 NOT NULL,
	"completed_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"erased_at" timestamp with time zone,
	CONSTRAINT "jobs_uploadId_unique" UNIQUE("upload_id")
);
--> statement-breakpoint
CREATE TABLE "results" (
	"job_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"email" text NOT NULL,
	"status" text NOT NULL,
	"sub_status" text NOT NULL,
	"confidence" real NOT NULL,
	"score" smallint NOT NULL,
	"is_valid" boolean NOT NULL,
	"safe_to_send" boolean NOT NULL,
	"suggestion" text,
	"provider" text NOT NULL,
	"is_catchall" boolean NOT NULL,
	"is_disposable" boolean NOT NULL,
	"is_role_based" boolean NOT NULL,
	"is_free" boolean NOT NULL,
	"smtp_code" smallint NOT NULL,
	"checked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "results_job_id_row_pk" PRIMARY KEY("job_id","row")
);
--> statement-breakpoint
CREATE TABLE "slices" (
	"job_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"emails" json NOT NULL,
	"attempt" smallint DEFAULT 0 NOT NULL,
	"sittings" smallint DEFAULT 0 NOT NULL,
	"first_asked_at" timestamp with time zone,
	CONSTRAINT "slices_job_id_number_pk" PRIMARY KEY("job_id","number")
);
--> statement-breakpoint
CREATE TABLE "upload_census_parts" (
	"upload_id" uuid NOT NULL,
	"column" integer NOT NULL,
	"number" integer NOT NULL,
	"first_rows" "bytea" NOT NULL,
	CONSTRAINT "upload_census_parts_upload_id_column_number_pk" PRIMARY KEY("upload_id","column","number")
);
--> statement-breakpoint
CREATE TABLE "upload_censuses" (
	"upload_id" uuid NOT NULL,
	"column" integer NOT NULL,
	"emails" integer NOT NULL,
	"unique_emails" integer NOT NULL,
	CONSTRAINT "upload_censuses_upload_id_column_pk" PRIMARY KEY("upload_id","column")
);
--> statement-breakpoint
CREATE TABLE "upload_parts" (
	"upload_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"first_row" integer NOT NULL,
	"row_count" integer NOT NULL,
	"records" "bytea" NOT NULL,
	CONSTRAINT "upload_parts_upload_id_number_pk" PRIMARY KEY("upload_id","number")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"filename" text NOT NULL,
	"header" json,
	"columns" json DEFAULT '[]'::json NOT NULL,
	"delimiter" text DEFAULT ',' NOT NULL,
	"total_rows" integer DEFAULT 0 NOT NULL,
	"email_counts" json DEFAULT '[]'::json NOT NULL,
	"suggested_column" integer DEFAULT 0 NOT NULL,
	"sample_rows" json DEFAULT '[]'::json NOT NULL,
	"content_hash" "bytea",
	"once_key" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ready_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"erased_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "pace_places" (
	"key" text NOT NULL,
	"number" integer NOT NULL,
	"process_id" uuid NOT NULL,
	"taken_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pace_places_key_number_pk" PRIMARY KEY("key","number")
);
--> statement-breakpoint
CREATE TABLE "pace_wishes" (
	"key" text NOT NULL,
	"process_id" uuid NOT NULL,
	"is_urgent" boolean NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"renewed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pace_wishes_key_process_id_pk" PRIMARY KEY("key","process_id")
);
--> statement-breakpoint
CREATE TABLE "paces" (
	"key" text PRIMARY KEY NOT NULL,
	"limit" integer NOT NULL,
	"rest_ms" double precision NOT NULL,
	"next_start_at" timestamp with time zone,
	"quiet" integer DEFAULT 0 NOT NULL,
	"refusals" integer DEFAULT 0 NOT NULL,
	"tripped_until" timestamp with time zone,
	"tripped_by" json,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lanes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"line" text NOT NULL,
	"is_held" boolean DEFAULT false NOT NULL,
	"served_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"beat_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tasks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"lane_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failures" smallint DEFAULT 0 NOT NULL,
	"losses" smallint DEFAULT 0 NOT NULL,
	"process_id" uuid,
	"taken_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "turns" (
	"account_id" uuid NOT NULL,
	"line" text NOT NULL,
	"served_at" timestamp with time zone,
	CONSTRAINT "turns_account_id_line_pk" PRIMARY KEY("account_id","line")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"event" text NOT NULL,
	"body" text NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"series_at" timestamp with time zone DEFAULT now() NOT NULL,
	"attempts_before" integer DEFAULT 0 NOT NULL,
	"response_status" integer,
	"trouble" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_attempt_at" timestamp with time zone,
	"next_attempt_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"url" text NOT NULL,
	"description" text NOT NULL,
	"events" text[] NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"disabled_reason" text,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "job_counts" ADD CONSTRAINT "job_counts_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slices" ADD CONSTRAINT "slices_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_census_parts" ADD CONSTRAINT "upload_census_parts_upload_id_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."uploads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_censuses" ADD CONSTRAINT "upload_censuses_upload_id_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."uploads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_parts" ADD CONSTRAINT "upload_parts_upload_id_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."uploads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lanes" ADD CONSTRAINT "lanes_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_lane_id_lanes_id_fk" FOREIGN KEY ("lane_id") REFERENCES "public"."lanes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "turns" ADD CONSTRAINT "turns_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "jobs_account_id_created_at_index" ON "jobs" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "jobs_expires_at_index" ON "jobs" USING btree ("expires_at") WHERE "jobs"."erased_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_account_id_once_key_index" ON "uploads" USING btree ("account_id","once_key") WHERE "uploads"."once_key" is not null;--> statement-breakpoint
CREATE INDEX "uploads_expires_at_index" ON "uploads" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "uploads_account_id_index" ON "uploads" USING btree ("account_id") WHERE "uploads"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "pace_places_process_id_index" ON "pace_places" USING btree ("process_id");--> statement-breakpoint
CREATE INDEX "pace_wishes_process_id_index" ON "pace_wishes" USING btree ("process_id");--> statement-breakpoint
CREATE INDEX "lanes_line_index" ON "lanes" USING btree ("line");--> statement-breakpoint
CREATE INDEX "lanes_account_id_index" ON "lanes" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "tasks_lane_id_due_at_index" ON "tasks" USING btree ("lane_id","due_at");--> statement-breakpoint
CREATE INDEX "tasks_process_id_index" ON "tasks" USING btree ("process_id") WHERE "tasks"."process_id" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint_id_created_at_index" ON "webhook_deliveries" USING btree ("endpoint_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created_at_index" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account_id_index" ON "webhook_endpoints" USING btree ("account_id");--> statement-breakpoint
ALTER TABLE "upload_parts" ALTER COLUMN "records" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "upload_census_parts" ALTER COLUMN "first_rows" SET STORAGE EXTERNAL;