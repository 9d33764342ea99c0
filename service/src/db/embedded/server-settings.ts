/** How the embedded server is told to run. What is not here is PostgreSQL's default, durability above all. */
import { SOCKET_PORT } from "./socket-directory.ts";

/** Nothing of our own environment: it may hold secrets, and PG* variables would change what the server does. */
export const SERVER_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
};

export function serverArguments(cluster: string, socketDirectory: string): string[] {
  const settings = {
    listen_addresses: "",
    unix_socket_permissions: "0700",
    max_connections: "60",
    shared_buffers: "64MB",
    // A failed statement is its client's to tell, who knows what of it is private. Our log tells what the server does.
    log_min_messages: "log",
    log_checkpoints: "off",
  };
  const named = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", cluster, "-k", socketDirectory, "-p", String(SOCKET_PORT), ...named];
}
