CREATE TABLE "ai_questions" (
	"day" date PRIMARY KEY NOT NULL,
	"asked" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "calibration_cells" (
	"account_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"band" smallint NOT NULL,
	"outcomes" integer NOT NULL,
	"bounced" integer NOT NULL,
	"predicted" double precision NOT NULL,
	CONSTRAINT "calibration_cells_account_id_provider_band_pk" PRIMARY KEY("account_id","provider","band")
);
--> statement-breakpoint
CREATE TABLE "naming_patterns" (
	"domain" text PRIMARY KEY NOT NULL,
	"mailboxes" integer NOT NULL,
	"shares" double precision[] NOT NULL,
	"seen" "bytea" NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outcomes" (
	"account_id" uuid NOT NULL,
	"address_hash" "bytea" NOT NULL,
	"outcome" text NOT NULL,
	"reported_at" timestamp with time zone NOT NULL,
	"score" smallint,
	"sub_status" text,
	"provider" text,
	CONSTRAINT "outcomes_account_id_address_hash_pk" PRIMARY KEY("account_id","address_hash")
);
--> statement-breakpoint
ALTER TABLE "calibration_cells" ADD CONSTRAINT "calibration_cells_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outcomes" ADD CONSTRAINT "outcomes_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "outcomes_account_id_reported_at_index" ON "outcomes" USING btree ("account_id","reported_at");--> statement-breakpoint
CREATE INDEX "outcomes_reported_at_index" ON "outcomes" USING btree ("reported_at");