/** A proxy to a test database that can drop responses, so that the outcome of a commit is unknown. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestDatabase } from "./database.ts";

export type FlakyDatabase = AsyncDisposable & {
  /** DATABASE_URL of the same database, through this proxy. */
  url: string;
  /** Until changed, this share of the responses is lost together with the connection. */
  lose(share: number): void;
  /** Responses lost so far. */
  lost(): number;
};

const SOCKET = ".s.PGSQL.5432";

export async function openFlakyDatabase({ connection }: TestDatabase): Promise<FlakyDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-flaky-"));
  const open = new Set<Socket>();
  let share = 0;
  let lost = 0;
  const proxy = createServer((client) => {
    const server = connect(join(connection.host!, SOCKET));
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        open.delete(socket);
        cut();
      });
    }
    client.on("data", (chunk) => server.write(chunk));
    server.on("data", (chunk) => {
      if (Math.random() >= share) return void client.write(chunk);
      lost++;
      cut();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(join(folder, SOCKET), resolve));
  return {
    url: `postgres://${encodeURIComponent(folder)}/${connection.database}?user=${connection.user}`,
    lose: (next) => {
      share = next;
    },
    lost: () => lost,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
