CREATE TABLE "cached_facts" (
	"id" uuid NOT NULL,
	"expires_on" date NOT NULL,
	"content" json NOT NULL,
	CONSTRAINT "cached_facts_id_expires_on_pk" PRIMARY KEY("id","expires_on")
) PARTITION BY RANGE ("expires_on");
--> statement-breakpoint
CREATE TABLE "cached_verdicts" (
	"account_id" uuid NOT NULL,
	"address_key" uuid NOT NULL,
	"facts_id" uuid NOT NULL,
	"finding_id" uuid,
	"checked_at" timestamp with time zone NOT NULL,
	"fresh_seconds" integer NOT NULL,
	"expires_on" date NOT NULL,
	"own" json,
	CONSTRAINT "cached_verdicts_address_key_expires_on_pk" PRIMARY KEY("address_key","expires_on")
) PARTITION BY RANGE ("expires_on");
--> statement-breakpoint
-- Instead of a foreign key, which would lock the accounts whenever a partition is dropped.
CREATE FUNCTION "delete_cached_verdicts"() RETURNS trigger LANGUAGE plpgsql AS $$
declare
  -- The keys of an account's addresses start with its hash, see addressKey in shared-evidence.ts.
  prefix text := left(encode(sha256(convert_to(old.id::text, 'UTF8')), 'hex'), 6);
begin
  delete from cached_verdicts
  where address_key between rpad(prefix, 32, '0')::uuid and rpad(prefix, 32, 'f')::uuid and account_id = old.id;
  return null;
end $$;
--> statement-breakpoint
CREATE TRIGGER "delete_cached_verdicts" AFTER DELETE ON "accounts"
  FOR EACH ROW EXECUTE FUNCTION "delete_cached_verdicts"();
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "rows_expire_on" date;--> statement-breakpoint
CREATE INDEX "jobs_rows_expire_on_index" ON "jobs" USING btree ("rows_expire_on") WHERE "jobs"."rows_expire_on" is not null;
--> statement-breakpoint
-- The tables of the earlier release become the default partitions. None of these statements reads their rows: the check is
-- not validated here unless they are empty, but by maintenance, and there is no other partition yet that a row could
-- belong into. The earlier release goes on reading, writing and deleting under the old names.
ALTER TABLE "results" RENAME TO "results_default";--> statement-breakpoint
ALTER TABLE "results_default" RENAME CONSTRAINT "results_job_id_row_pk" TO "results_default_pkey";--> statement-breakpoint
ALTER TABLE "results_default" ADD COLUMN "expires_on" date DEFAULT '1970-01-01' NOT NULL;--> statement-breakpoint
ALTER TABLE "results_default" ADD CONSTRAINT "results_default_expires_on" CHECK ("expires_on" = '1970-01-01') NOT VALID;--> statement-breakpoint
CREATE TABLE "results" (LIKE "results_default" INCLUDING DEFAULTS) PARTITION BY RANGE ("expires_on");--> statement-breakpoint
ALTER TABLE "results" ATTACH PARTITION "results_default" DEFAULT;--> statement-breakpoint
ALTER TABLE "duplicates" RENAME TO "duplicates_default";--> statement-breakpoint
ALTER TABLE "duplicates_default" RENAME CONSTRAINT "duplicates_job_id_row_pk" TO "duplicates_default_pkey";--> statement-breakpoint
ALTER TABLE "duplicates_default" ADD COLUMN "expires_on" date DEFAULT '1970-01-01' NOT NULL;--> statement-breakpoint
ALTER TABLE "duplicates_default" ADD CONSTRAINT "duplicates_default_expires_on" CHECK ("expires_on" = '1970-01-01') NOT VALID;--> statement-breakpoint
CREATE TABLE "duplicates" (LIKE "duplicates_default" INCLUDING DEFAULTS) PARTITION BY RANGE ("expires_on");--> statement-breakpoint
ALTER TABLE "duplicates" ATTACH PARTITION "duplicates_default" DEFAULT;--> statement-breakpoint
DO $$
begin
  if not exists (select from results_default) and not exists (select from duplicates_default) then
    alter table results_default validate constraint results_default_expires_on;
    alter table duplicates_default validate constraint duplicates_default_expires_on;
  end if;
end $$;
