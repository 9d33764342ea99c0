/** Runs the PostgreSQL of the operating system, or the one that npm carries, as a child process on a unix socket. */

export { defaultDataDirectory } from "./data-directory.ts";
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./embedded-postgres.ts";
export { EmbeddedPostgresError, type Remedy } from "./embedded-postgres-error.ts";
export type { EmbeddedPostgresEvent } from "./events.ts";
export { isRunning } from "./process-identity.ts";
export { CURRENT_RELEASES, releasesBehind, versionOf, versionText } from "./programs/releases.ts";
export { abortable } from "./server.ts";
export type { EmbeddedConnection } from "./socket-directory.ts";
export { connectionIn } from "./socket-directory.ts";
