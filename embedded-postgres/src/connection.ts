/** Connection options for the server's unix socket; `ssl: false` overrides PGSSLMODE. */
import { SOCKET_PORT } from "./socket-directory.ts";

export type EmbeddedConnection = {
  host: string;
  port: number;
  user: string;
  database: string;
  ssl: false;
};

export const SUPERUSER = "app";

export function connectionIn(socketDirectory: string): EmbeddedConnection {
  return { host: socketDirectory, port: SOCKET_PORT, user: SUPERUSER, database: "app", ssl: false };
}
