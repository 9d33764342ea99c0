-- Lists whose job was deleted.
DELETE FROM "saved_lists" WHERE NOT EXISTS (SELECT FROM "jobs" WHERE "jobs"."id" = "saved_lists"."job_id");--> statement-breakpoint
ALTER TABLE "saved_lists" ADD CONSTRAINT "saved_lists_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;