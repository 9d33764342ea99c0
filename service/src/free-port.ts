/**
 * Whether the port can be bound, asked before anything else is opened: a start that fails for the port creates nothing.
 * It is released again, and bound for good when the service can answer.
 */
import { once } from "node:events";
import { createServer } from "node:net";
import type { Config } from "./config.ts";

/** Throws the error of the system. */
export async function assertPortFree({ host, port }: Pick<Config, "host" | "port">): Promise<void> {
  const server = createServer().listen({ host, port });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
