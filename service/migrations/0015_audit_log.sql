CREATE TABLE "audit_entries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"action" text NOT NULL,
	"account_id" uuid,
	"actor_kind" text NOT NULL,
	"actor_account_id" uuid,
	"key_id" uuid,
	"session_id" uuid,
	"is_operator" boolean NOT NULL,
	"network" text,
	"subject_id" uuid,
	"details" jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_entries_account_id_created_at_id_index" ON "audit_entries" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_action_created_at_id_index" ON "audit_entries" USING btree ("action","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_created_at_id_index" ON "audit_entries" USING btree ("created_at","id");--> statement-breakpoint
CREATE FUNCTION "refuse_audit_update"() RETURNS trigger LANGUAGE plpgsql AS $$ begin raise exception 'entries of the audit log are not changed'; end $$;--> statement-breakpoint
CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_update"();
