/** How to reach the embedded server: by its socket, and never encrypted, whatever PGSSLMODE says to other programs. */
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
