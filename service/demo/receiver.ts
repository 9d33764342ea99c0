/** Webhook receiver of the demo: accepts every message at /hooks, and answers 500 at /broken. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Receiver = AsyncDisposable & { url: string };

export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.statusCode = request.url?.startsWith("/broken") ? 500 : 204;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
