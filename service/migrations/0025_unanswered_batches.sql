CREATE TABLE "unanswered_batches" (
	"account_id" uuid NOT NULL,
	"first_number" bigint NOT NULL,
	"counts" integer[] NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "unanswered_batches_account_id_first_number_pk" PRIMARY KEY("account_id","first_number")
);
