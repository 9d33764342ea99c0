CREATE TABLE "egress_sessions" (
	"identity" text NOT NULL,
	"day" date NOT NULL,
	"sessions" integer NOT NULL,
	CONSTRAINT "egress_sessions_identity_day_pk" PRIMARY KEY("identity","day")
);
