-- Claims move to pg-boss, whose schema is installed before this. Tasks that wait or run are kept and become due again;
-- processes of an earlier release must be stopped first.
CREATE SEQUENCE "public"."retry_slice_numbers" INCREMENT BY -1 MINVALUE -2147483648 MAXVALUE -1 START WITH -1 CACHE 1 CYCLE;--> statement-breakpoint
SELECT setval('retry_slice_numbers', least(-1, (SELECT min("number") - 1 FROM "slices")), false);--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "given_up" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" DROP COLUMN "retry_slices";--> statement-breakpoint
ALTER TABLE "slices" ADD COLUMN "is_redrive" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE TABLE "queue_groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"is_paused" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "queue_shares" (
	"account_id" uuid NOT NULL,
	"queue" text NOT NULL,
	"virtual_time" double precision DEFAULT 0 NOT NULL,
	"mean_cost" double precision NOT NULL,
	"turns" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "queue_shares_account_id_queue_pk" PRIMARY KEY("account_id","queue")
);
--> statement-breakpoint
INSERT INTO "queue_groups" ("id", "account_id", "is_paused") SELECT "id", "account_id", "is_held" FROM "lanes";--> statement-breakpoint
ALTER TABLE "tasks" DROP CONSTRAINT "tasks_lane_id_lanes_id_fk";--> statement-breakpoint
DROP INDEX "tasks_lane_id_due_at_index";--> statement-breakpoint
DROP INDEX "tasks_process_id_index";--> statement-breakpoint
ALTER TABLE "tasks" RENAME COLUMN "lane_id" TO "group_id";--> statement-breakpoint
ALTER TABLE "tasks" RENAME COLUMN "kind" TO "queue";--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "state" text DEFAULT 'waiting' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ALTER COLUMN "state" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "turn_id" uuid;--> statement-breakpoint
ALTER TABLE "tasks" DROP COLUMN "losses";--> statement-breakpoint
ALTER TABLE "tasks" DROP COLUMN "process_id";--> statement-breakpoint
ALTER TABLE "tasks" DROP COLUMN "taken_at";--> statement-breakpoint
DROP TABLE "lanes";--> statement-breakpoint
DROP TABLE "turns";--> statement-breakpoint
ALTER TABLE "queue_groups" ADD CONSTRAINT "queue_groups_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_shares" ADD CONSTRAINT "queue_shares_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "queue_groups_account_id_index" ON "queue_groups" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "queue_shares_queue_virtual_time_index" ON "queue_shares" USING btree ("queue","virtual_time");--> statement-breakpoint
CREATE INDEX "tasks_group_id_queue_state_due_at_id_index" ON "tasks" USING btree ("group_id","queue","state","due_at","id");--> statement-breakpoint
CREATE INDEX "tasks_queue_due_at_index" ON "tasks" USING btree ("queue","due_at") WHERE "tasks"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "tasks_turn_id_index" ON "tasks" USING btree ("turn_id") WHERE "tasks"."turn_id" is not null;
