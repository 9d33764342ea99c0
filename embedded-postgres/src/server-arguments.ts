/** Command line and environment of the server. Everything else is PostgreSQL's default, durability included. */
import { SOCKET_PORT } from "./socket-directory.ts";

/** The parent's environment is not passed on: it may hold secrets, and PG* variables change the server's behaviour. */
export const SERVER_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
};

export function serverArguments(cluster: string, socketDirectory: string): string[] {
  const settings = {
    listen_addresses: "",
    unix_socket_permissions: "0700",
    max_connections: "300", // a slot costs a few kilobytes; tests run many services on one server
    shared_buffers: "64MB",
    wal_compression: "on", // of page images, which follow every checkpoint
    // Failed statements are not logged: they can contain private data, and the client reports them.
    log_min_messages: "log",
    log_checkpoints: "off",
  };
  const named = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", cluster, "-k", socketDirectory, "-p", String(SOCKET_PORT), ...named];
}
