DROP INDEX "host_leases_process_id_index";--> statement-breakpoint
DROP INDEX "host_waiters_process_id_index";