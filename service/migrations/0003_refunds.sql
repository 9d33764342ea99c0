CREATE TABLE "unanswered_charges" (
	"charge_key" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"amount" bigint NOT NULL,
	"reference" text NOT NULL,
	"day" date NOT NULL,
	"key_id" uuid,
	"valid" bigint NOT NULL,
	"invalid" bigint NOT NULL,
	"risky" bigint NOT NULL,
	"unknown" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
