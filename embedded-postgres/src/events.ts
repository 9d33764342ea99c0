/** What happens while the server starts, runs and is restarted, for the caller's log. */
export type EmbeddedPostgresEvent =
  | { event: "binaries_copying" }
  | { event: "cluster_creating" }
  | { event: "server_adopted"; pid: number }
  | { event: "orphan_stopping"; pid: number }
  | { event: "server_recovering" }
  | { event: "server_exited"; restartInMs: number }
  | { event: "server_restarted" }
  | { event: "server_restart_failed"; error: unknown };

export type OnEvent = (event: EmbeddedPostgresEvent) => void;
