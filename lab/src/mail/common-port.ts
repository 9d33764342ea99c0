/**
 * One port that is free on many addresses at once.
 *
 * Mail has one port for the whole world; the lab cannot have 25, so its hosts share another.
 */
import { createServer, type Server } from "node:net";

const ATTEMPTS = 20;
/** A prober that opens many connections at once must not find the queue full. */
const BACKLOG = 4_096;

export async function commonPort(addresses: readonly string[]): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const listeners: Server[] = [];
    try {
      let port = 0;
      for (const address of addresses) {
        const listener = createServer();
        listeners.push(listener);
        port = await listen(listener, address, port);
      }
      return port;
    } catch (error) {
      if (!isTaken(error) || attempt === ATTEMPTS) throw error;
    } finally {
      await Promise.all(listeners.map(close));
    }
  }
}

export function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

/** Resolves to the port, which is a free one when 0 was asked for. */
export function listen(listener: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once("error", reject);
    listener.listen({ host, port, backlog: BACKLOG }, () => {
      const bound = listener.address();
      resolve(typeof bound === "object" && bound ? bound.port : port);
    });
  });
}

function close(listener: Server): Promise<void> {
  return new Promise((resolve) => listener.close(() => resolve()));
}
