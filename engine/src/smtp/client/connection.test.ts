import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { sanitizeText } from "../../report.ts";
import { destroySocket } from "./connect.ts";
import { SmtpConnection } from "./connection.ts";

/** Each ends a line for some program, or hides what follows. */
const BREAKS = ["\r\n", "\n", "\r", "\0", "\v", "\f", "\u001b", "\u0085", "\u2028", "\u2029"];

test.each(BREAKS)("a command with %j is never sent", async (character) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const accepted = once(server, "connection");
  const socket = connect(port, "127.0.0.1");
  const connection = new SmtpConnection(socket);
  const [peer] = (await accepted) as [Socket];
  const chunks = (async () => Buffer.concat(await peer.toArray()).toString())();
  expect(() => connection.send([`RCPT TO:<ann${character}DATA@example.com>`])).toThrow("line break");
  connection.send(["QUIT"]);
  socket.end();
  expect(await chunks).toBe("QUIT\r\n");
  server.close();
});

test("a connection whose socket was destroyed has ended", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  await once(socket, "connect");
  const connection = new SmtpConnection(socket);
  destroySocket(socket);
  await once(socket, "close");
  const end = connection.end().then(() => "ended");
  expect(await Promise.race([end, nextIteration("waits for a server that no longer reads")])).toBe("ended");
  server.close();
});

test.each(BREAKS)("a reply with %j is shown on one line", (character) => {
  expect(sanitizeText(`550 no${character}such user`)).toBe("550 no such user");
});
