CREATE UNLOGGED TABLE "host_memories" (
	"identity" text NOT NULL,
	"host" text NOT NULL,
	"memory" jsonb,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "host_memories_identity_host_pk" PRIMARY KEY("identity","host")
);
