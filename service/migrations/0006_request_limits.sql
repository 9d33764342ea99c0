CREATE UNLOGGED TABLE "request_buckets" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"tokens" double precision NOT NULL,
	"per_minute" double precision NOT NULL,
	"filled_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "requests_in_progress" (
	"account_id" uuid NOT NULL,
	"process_id" uuid NOT NULL,
	"requests" integer NOT NULL,
	"renewed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "requests_in_progress_account_id_process_id_pk" PRIMARY KEY("account_id","process_id")
);
--> statement-breakpoint
ALTER TABLE "request_buckets" ADD CONSTRAINT "request_buckets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "requests_in_progress" ADD CONSTRAINT "requests_in_progress_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;