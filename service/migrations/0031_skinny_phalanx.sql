CREATE TABLE "egress_states" (
	"identity" text NOT NULL,
	"provider" text NOT NULL,
	"state" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"reply" text,
	CONSTRAINT "egress_states_identity_provider_pk" PRIMARY KEY("identity","provider")
);
