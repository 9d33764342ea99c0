/** Runs the PostgreSQL that npm carries for this platform, as a child process on a unix socket. */
export type { EmbeddedConnection } from "./connection.ts";
export { connectionIn } from "./connection.ts";
export { defaultDataDirectory } from "./data-directory.ts";
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./embedded-postgres.ts";
export { EmbeddedPostgresError, type Remedy } from "./embedded-postgres-error.ts";
export type { EmbeddedPostgresEvent } from "./events.ts";
export { isRunning } from "./process-identity.ts";
