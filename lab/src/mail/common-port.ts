/**
 * Finds a port that is free on many addresses at once.
 *
 * All mail hosts use port 25; the lab cannot bind it, so its hosts share another port.
 */
import { createServer, type Server } from "node:net";

const ATTEMPTS = 20;
/** Large enough for a client that opens many connections at once. */
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
      if (!isPortInUse(error) || attempt === ATTEMPTS) throw error;
    } finally {
      await Promise.all(listeners.map(close));
    }
  }
}

export function isPortInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

/** Resolves to the bound port; 0 picks a free one. */
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
